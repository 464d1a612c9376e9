import './style.css';
import {render} from 'preact';
import {App, views} from './app/app';
import {keepPanes} from './app/split';
import {bench} from './bench';
import {followSelections} from './diff/actions';
import {loadCapture} from './state/actions';
import {decode, keepAddress, restore} from './state/permalink';
import {lang, theme} from './state/state';

const languages = navigator.languages ?? [navigator.language];
lang.value = languages[0]?.toLowerCase().startsWith('zh') ? 'zh' : 'en';
theme.value = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';

keepPanes();

const root = document.getElementById('app');
if (root) {
    render(<App />, root);
    void loadCapture().then(() => {
        restore(decode(location.hash));
        keepAddress();
        followSelections();
    });
}

// For tests and measurements: what the canvases drew last, and how long it took.
Object.assign(window, {inspector: views});
if (BENCH && new URLSearchParams(location.search).get('bench') === '1') Object.assign(window, {__bench: bench});
