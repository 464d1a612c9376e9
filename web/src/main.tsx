import './style.css';
import {effect} from '@preact/signals';
import {render} from 'preact';
import {waiting} from './api/client';
import {App, views} from './app/app';
import {keepPanes} from './app/split';
import {bench} from './bench';
import {followSelections} from './diff/actions';
import {comparing} from './diff/state';
import {atFirst, loadCapture} from './state/actions';
import {askAhead, isShown} from './state/first';
import {keepAddress} from './state/history';
import {decode, restore} from './state/permalink';
import {tellReading} from './state/reading';
import {lang, theme} from './state/state';

const languages = navigator.languages ?? [navigator.language];
lang.value = languages[0]?.toLowerCase().startsWith('zh') ? 'zh' : 'en';
theme.value = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';

keepPanes();

const PATIENCE_MS = 150; // by then there is a page to look at, with or without anything in it

const root = document.getElementById('app');
if (root) {
    const place = decode(location.hash);
    const answer = loadCapture();
    askAhead(place);
    tellReading(answer);
    atFirst.act = () => {
        restore(place);
        if (comparing.value) isShown.value = true; // the view of both sides is not the first picture
        queueMicrotask(() => {
            keepAddress();
            followSelections();
        });
    };
    effect(() => {
        document.documentElement.lang = lang.value;
        document.documentElement.dataset['theme'] = theme.value;
    });
    const patience = new Promise((done) => window.setTimeout(done, PATIENCE_MS));
    void Promise.race([answer, patience]).then(() => render(<App />, root));
}

// For tests and measurements: what the canvases drew last, how long it took, and whether more is to come.
Object.assign(window, {inspector: Object.assign(views, {waiting})});
if (BENCH && new URLSearchParams(location.search).get('bench') === '1') Object.assign(window, {__bench: bench});
