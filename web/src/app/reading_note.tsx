// What the server is at, before there is anything to show. A bar that moves by itself would take from the reader what it needs.
import {t} from '../i18n/i18n';
import {reading} from '../state/reading';
import {bytes} from '../util/format';

export function ReadingNote() {
    const now = reading.value;
    if (!now) return null;
    const isJoining = now.stage !== 'read', share = now.total_bytes ? Math.min(1, now.done_bytes / now.total_bytes) : null;
    return (
        <div class="reading" role="status">
            <p>{isJoining ? t('joining') : now.total_bytes ? t('readingOf', {done: bytes(now.done_bytes), all: bytes(now.total_bytes)}) : t('reading')}</p>
            <progress value={isJoining ? 1 : share ?? 0} max={1} aria-label={t('reading')} />
        </div>
    );
}
