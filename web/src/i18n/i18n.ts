import {lang} from '../state/state';
import {en, type Key} from './en';
import {RULES_ZH} from './rules';
import {zh} from './zh';

export type {Key};

// The text in the language of the page, {names} replaced.
export function t(key: Key, values: Record<string, string | number> = {}): string {
    const text: string = (lang.value === 'zh' ? zh : en)[key];
    return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

const CATEGORIES_ZH: Record<string, string> = {
    other: '其他', convolution: '卷积', fully_connected: '全连接', normalisation: '归一化', activation: '激活',
    elementwise: '逐元素', reduction_pooling: '归约与池化', data_movement: '数据搬运', communication: '通信',
    synchronisation: '同步', control: '控制', custom: '自定义',
};

export function categoryName(category: string): string {
    if (lang.value === 'zh') return CATEGORIES_ZH[category] ?? category;
    return category.replace('_', category === 'reduction_pooling' ? ', ' : ' ');
}

export function ruleName(rule: string): string {
    return (lang.value === 'zh' ? RULES_ZH[rule] : undefined) ?? rule.replaceAll('_', ' ');
}
