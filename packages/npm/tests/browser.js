// Serves this folder's parent, opens the page beside this file in a browser without a window, and prints what
// the page says. Usage: node tests/browser.js CHROMIUM

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, normalize } from "node:path";

const SECONDS = 240;
const TYPES = { html: "text/html", js: "text/javascript", wasm: "application/wasm" };
const profile = mkdtempSync(join(tmpdir(), "browser-"));
let browser;

/** Ends the browser and this program. */
function end(said, status) {
    console.log(said);
    browser.once("exit", () => {
        rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
        process.exit(status);
    });
    browser.kill();
}

const server = createServer(async (request, response) => {
    if (request.method === "POST") {
        let said = "";
        for await (const part of request) {
            said += part;
        }
        response.end();
        end(said, said.startsWith("right ") ? 0 : 1);
        return;
    }
    const path = normalize(request.url).slice(1);
    try {
        const text = readFileSync(path);
        response.setHeader("content-type", TYPES[path.split(".").pop()] ?? "text/plain");
        response.end(text);
    } catch {
        response.statusCode = 404;
        response.end();
    }
});

server.listen(0, "127.0.0.1", () => {
    const page = `http://127.0.0.1:${server.address().port}/tests/browser.html`;
    const words = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`, page];
    browser = spawn(process.argv[2], words, { stdio: "ignore" });
    browser.once("error", (error) => {
        console.error(`${process.argv[2]}: ${error.message}`);
        process.exit(1);
    });
    setTimeout(() => end(`the page says nothing within ${SECONDS} s`, 1), 1000 * SECONDS);
});
