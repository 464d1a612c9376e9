// The server that the page came from.

import type {Transport} from './client';

const ROOT = 'api/v1/';

export const server: Transport = async (path, body, signal) => {
    const init: RequestInit = {signal};
    if (body !== undefined) {
        init.method = 'POST';
        init.body = body;
        init.headers = {'Content-Type': 'application/json'};
    }
    const response = await fetch(ROOT + path, init);
    return {status: response.status, body: await response.arrayBuffer()};
};
