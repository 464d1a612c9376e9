// A few strokes in place of an icon font.
const PATHS: Record<string, string> = {
    fit: 'M3 8V3h5M13 3h5v5M18 13v5h-5M8 18H3v-5',
    path: 'M4 4v5a3 3 0 0 0 3 3h7M11 8l4 4-4 4',
    constants: 'M3 4h6v5H3zM11 4h6v5h-6zM6 9v3l4 4 4-4V9',
    theme: 'M10 3a7 7 0 1 0 7 7 5 5 0 0 1-7-7z',
    more: 'M10 4v12M4 10h12',
    less: 'M4 10h12',
    save: 'M10 3v9M6 9l4 4 4-4M4 17h12',
    help: 'M7.5 7.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M10 14.5v.1M10 18a8 8 0 1 0 0-16 8 8 0 0 0 0 16z',
    link: 'M8 12l4-4M7 9l-2 2a3 3 0 0 0 4 4l2-2M13 11l2-2a3 3 0 0 0-4-4L9 7',
    follow: 'M3 10h10M9 6l4 4-4 4M17 4v12',
};

export function Icon({name}: {name: string}) {
    return (
        <svg width="20" height="20" viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.6" aria-hidden="true">
            <path d={PATHS[name] ?? ''} />
        </svg>
    );
}
