// One line on top of a one-file report: what is not in it.
import {about, type LeftOut} from '../api/report';
import {t, type Key} from '../i18n/i18n';
import {count} from '../util/format';

// What the tables are for people; those that go along with others are not told.
const NAMES: Partial<Record<string, Key>> = {
    samples: 'outSamples', statistics: 'outStatistics', attrs: 'outAttributes', planned: 'outPlanned', slices: 'outCalls', tasks: 'outTasks',
};

export function ReportNote() {
    const told = about();
    if (!told) return null;
    const list = (rows: LeftOut[]): string[] => rows.flatMap(({table, kept, of}) => {
        const key = NAMES[table];
        return key ? [t('outPart', {what: t(key), n: count(of - kept), of: count(of)})] : [];
    });
    const parts = [...list(told.left_out), ...list(told.base_left_out ?? []).map((part) => t('outAtBase', {part}))];
    if (told.metrics) parts.push(t('outMetrics', {n: count(told.metrics)}));
    return (
        <p class="note" role="note">
            {t('isReport')}
            {told.anonymised && ` ${t('isAnonymised')}`}
            {parts.length > 0 && ` ${t('leftOut', {parts: parts.join(t('listComma'))})}`}
        </p>
    );
}
