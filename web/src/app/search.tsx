// The search box and its hits. What the words mean is told by the help panel and in the list itself.
import {useEffect, useState} from 'preact/hooks';
import {t} from '../i18n/i18n';
import {goTo, goToHit, searchResult, setSearch} from '../state/actions';
import {capture, search} from '../state/state';
import {clean} from '../util/clean';
import {count} from '../util/format';

// Streams and times are those of tasks.
const hasNoTimes = (query: string): boolean => /(^|\s)(dur[<>]|stream:)/.test(query) && !capture.value?.has.includes('tasks');

const MOST_SHOWN = 60;
const EXAMPLES = ['op:', 'ns:', 'dtype:', 'stream:', 'dur>1ms', 'unmapped', 'layer:'];

export function Search() {
    const [, refresh] = useState(0);
    const [isOpen, setOpen] = useState(false);
    const [cursor, setCursor] = useState(-1);
    useEffect(() => {
        const listener = (): void => {
            setCursor(-1);
            refresh((n) => n + 1);
        };
        searchResult.listeners.add(listener);
        return () => void searchResult.listeners.delete(listener);
    }, []);
    const hits = searchResult.current.hits.slice(0, MOST_SHOWN);
    const key = (e: KeyboardEvent): void => {
        if (e.isComposing) return;
        if (e.key === 'ArrowDown') setCursor(Math.min(hits.length - 1, cursor + 1));
        else if (e.key === 'ArrowUp') setCursor(Math.max(-1, cursor - 1));
        else if (e.key === 'Enter' && cursor >= 0) goTo(hits[cursor]!);
        else if (e.key === 'Enter') goToHit(e.shiftKey ? -1 : 1);
        else if (e.key === 'Escape') {
            setSearch('');
            (e.target as HTMLInputElement).blur();
        } else return;
        e.preventDefault();
    };
    return (
        <div class="search" onFocusIn={() => setOpen(true)} onFocusOut={(e) => {
            if (!(e.currentTarget as HTMLElement).contains(e.relatedTarget as Node | null)) setOpen(false);
        }}>
            <input id="search" type="search" value={search.value} placeholder={t('search')} aria-label={t('search')} autocomplete="off" spellcheck={false}
                aria-haspopup="listbox" aria-expanded={isOpen && search.value !== ''} aria-controls="search-hits"
                aria-activedescendant={cursor >= 0 ? `hit-${cursor}` : undefined}
                onInput={(e) => setSearch((e.target as HTMLInputElement).value)} onKeyDown={key} />
            {isOpen && search.value !== '' && (
                <div class="hits" id="search-hits" role="listbox" aria-label={t('search')}>
                    <p class="faint">{t('hits', {n: count(searchResult.current.total)})}{' '}
                        {searchResult.current.total > 1 && t('nextHit')}
                        {searchResult.current.total === 0 && hasNoTimes(search.value) && t('noTasks')}</p>
                    {hits.map((h, i) => (
                        <button key={i} id={`hit-${i}`} role="option" aria-selected={i === cursor} tabIndex={-1} class={`plain${i === cursor ? ' cursor' : ''}`}
                            onClick={() => goTo(h)}>
                            <b>{h.value ? t('constantKind') : clean(h.op, 40)}</b> {clean(h.name, 90)} <small class="faint">{clean(h.layer, 12)}</small>
                        </button>))}
                </div>)}
            {isOpen && search.value === '' && (
                <div class="hits words">{EXAMPLES.map((word) => (
                    <button key={word} class="chip" onClick={() => {
                        setSearch(word);
                        document.getElementById('search')?.focus();
                    }}>{word}</button>))}</div>)}
        </div>
    );
}
