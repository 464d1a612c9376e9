/* What tests of the server have in common: checks that are counted, and the program as a server. */
import {spawn} from 'node:child_process';

const PATIENCE_MS = 120000;

let passed = 0, failed = 0;

export function check(what, is, more = '') {
    if (is) passed++;
    else {
        failed++;
        console.log(`FAILED: ${what} ${more}`);
    }
}

/* Prints the sums and ends the test. */
export function sumUp() {
    console.log(`${passed} passed, ${failed} failed`);
    process.exit(failed ? 1 : 0);
}

/* However a test ends, its servers end with it: one that lives on holds the output open, and whoever runs the test waits. */
const servers = new Set();
process.on('exit', () => servers.forEach((child) => child.kill('SIGKILL')));

/* Starts `serve` and waits for its link. `arguments_`: inputs and options; `stdin`: 'pipe' = what is written to child.stdin is an
 * input named "-". `ended` becomes {code, signal}. MI_CLI names the program */
export function serve(arguments_, {stdin = 'ignore'} = {}) {
    const child = spawn(process.env.MI_CLI, ['serve', '--no-open', ...arguments_], {stdio: [stdin, 'pipe', 'inherit']});
    servers.add(child);
    const ended = new Promise((resolve) => child.once('exit', (code, signal) => {
        servers.delete(child);
        resolve({code, signal});
    }));
    return new Promise((resolve, reject) => {
        const patience = setTimeout(() => reject(new Error('serve tells no link')), PATIENCE_MS);
        child.stdout.once('data', (data) => {
            clearTimeout(patience);
            resolve({child, url: data.toString().trim(), ended});
        });
        ended.then(({code}) => reject(new Error(`serve ended with ${code}`)));
    });
}
