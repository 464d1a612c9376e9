// Answers about a comparison: src/present/serve/subject.h and route_changes.c say what is in them.
import {getJson} from '../api/client';

export type Side = 'base' | 'new';
export const SIDES: readonly Side[] = ['base', 'new'];

// The order of the bits in a drawing (mi_differs_names).
export const KINDS = ['fused_otherwise', 'another_type', 'dtype', 'shape', 'layout', 'kernel', 'stream', 'appeared', 'vanished', 'renamed',
    'slower', 'faster'] as const;
export type Kind = (typeof KINDS)[number];

export interface Subject {
    base?: number | null;
    new?: number | null;
    base_task?: number | null;
    new_task?: number | null;
    layer?: string;
    name?: string;
    base_name?: string;
    op?: string;
    base_op?: string;
    changes?: {kind: Kind; was?: string; is?: string}[];
    cause?: string | null;
    what?: string;
    cost_ns?: number | null; // of the cause
    base_ns?: number | null;
    new_ns?: number | null;
    evidence?: string;
    confidence?: string;
    stretch?: {base: number[]; new: number[]}; // all nodes that were fused otherwise with it
}

export interface Changes {
    names: [string, string];
    layer: string | null;
    timed: boolean;
    first_ns: [number | null, number | null];
    makespan_ns: [number, number];
    kinds: Partial<Record<Kind, number>>;
    total: number;
    changes: Subject[];
}

// What there is to say if no change is listed: nothing differs only where something was compared.
export function noChange(known: Changes): 'nothingDiffers' | 'onlyNamesDiffer' | 'nothingInCommon' {
    if (!known.layer && !known.timed) return 'nothingInCommon';
    return known.kinds.renamed ? 'onlyNamesDiffer' : 'nothingDiffers';
}

// The same question to the base.
export const atBase = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}side=base`;
export const atSide = (path: string, side: Side): string => (side === 'base' ? atBase(path) : path);

export const getChanges = (lang: string): Promise<Changes> => getJson<Changes>('changes', `diff/changes?max=2000&lang=${lang}`);

export const getPartner = (side: Side, node: number, task: number, lang: string): Promise<Subject> =>
    getJson<Subject>('partner', atSide(`diff/partner?${node ? `node=${node}` : `task=${task}`}&lang=${lang}`, side));
