// Judges kernels by a small file: prints its inputs, and then `pass` or `fail` for each line of results.
import { readFileSync } from "node:fs";
import { expected, input, isRight } from "./small.mjs";

console.log(Array.from(input).join(" "));
if (!Array.from(expected).every((got, place) => isRight(place, got))) throw new Error("expected is wrong");
for (const line of readFileSync(0, "utf8").trim().split("\n")) {
    const right = line.split(" ").every((got, place) => isRight(place, Number(got)));
    console.log(right ? "pass" : "fail");
}
