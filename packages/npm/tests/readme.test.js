// What the README says, run as it stands. Other pages have the same first lines.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";

const pages = Object.fromEntries(
    ["package", "repository", "book"].map((name) => [name, readFileSync(`pages/${name}.md`, "utf8")]),
);
const blocks = (language) =>
    [...pages.package.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter((it) => it[1] === language).map((it) => it[2]);

/** What was printed without the sizes of the arrangements, which grow with the kinds of fault that are sought. */
const counted = (text) => text.replace(/(arrays|elements): \d+/g, "$1: counted");

/** Runs a module beside the installed package. */
function run(text, ...options) {
    writeFileSync("example.mjs", text);
    // Otherwise a test within a test prints for its parent.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    return spawnSync(process.execPath, [...options, "example.mjs"], { encoding: "utf8", env });
}

test("the first success is as short as it says", () => {
    const [first] = blocks("js");
    assert.ok(first.split("\n").filter(Boolean).length <= 5);
    assert.equal(blocks("sh")[0].trim(), "npm install --save-dev castproof");
    assert.ok(pages.book.includes(first) && pages.book.includes(blocks("sh")[0]));
    assert.ok(pages.repository.includes('`check(myCast, "float32", "float16")`'));
});

test("it prints what the README says", () => {
    const said = run(blocks("js")[0]);
    assert.equal(counted(said.stdout), counted(blocks("text")[0]), said.stderr);
});

test("a wrong cast is found as the README says", () => {
    const said = run(`import { check } from "castproof";
const clamps = (input) => Int8Array.from(input, (x) => Math.max(-128, Math.min(127, Number(x))));
check(clamps, "int64", "int8");`);
    assert.notEqual(said.status, 0);
    for (const line of blocks("text")[1].trim().split("\n").filter((it) => it !== "...")) {
        assert.ok(said.stderr.split("\n").includes(line), `${line}\n${said.stderr}`);
    }
});

test("the tests of the README pass", () => {
    const said = run(blocks("js")[1], "--test");
    assert.equal(said.status, 0, said.stdout);
    assert.match(said.stdout, /^. pass 3$/m);
});

test("blocks print what a rule gives", () => {
    const said = run(blocks("js")[3]);
    // Scale 2; 232, 0.5 and 0.0005 in float8e4m3fn.
    assert.match(said.stdout, /^Uint8Array\(1\) \[ 128 \] Uint8Array\(3\) \[ 118, 48, 0 \] \[ 'MX-16', 'MX-16', 'MX-16' \]$/m, said.stderr);
});

test("answers and casts print what is right", () => {
    const said = run(blocks("js")[2]);
    assert.ok(said.stdout.endsWith("[ true, true, true, true ]\n"), said.stdout + said.stderr);
});
