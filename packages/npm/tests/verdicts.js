// The verdict on each kernel of kernels.js, a line each, in Node and in browsers.

import { check, CheckFailed } from "castproof";
import { RIGHT, WRONG } from "./kernels.js";

function verdict([name, kernel, source, target, options]) {
    try {
        return `${name}: ${JSON.stringify(check(kernel, source, target, options))}`;
    } catch (error) {
        return `${name}: ${error instanceof CheckFailed ? error.message : `${error}`}`;
    }
}

/** The lines, of right kernels and then of wrong ones. */
export const said = [...RIGHT, ...WRONG].map(verdict);
