// What a timeline shows, as a file.
import {t} from '../i18n/i18n';
import {blank, PICTURE_RATIO, savePng, saveSvg, SvgSurface} from '../util/export';
import {drawOverlay, drawScene} from './scene';
import type {TimelineView} from './view';

export function savePicture(view: TimelineView, kind: 'png' | 'svg'): void {
    if (kind === 'png') {
        const {canvas, context} = blank(view.wide, view.high);
        if (!context) return;
        context.setTransform(PICTURE_RATIO, 0, 0, PICTURE_RATIO, 0, 0);
        const picture = {...view.picture(context, context), ratio: PICTURE_RATIO};
        drawScene(picture, view);
        drawOverlay(picture, view);
        savePng(canvas, t('timeline'));
        return;
    }
    const svg = new SvgSurface(view.wide, view.high, view.screen), picture = view.picture(svg, null);
    drawScene(picture, view);
    drawOverlay(picture, view);
    saveSvg(svg.text(t('timeline')), t('timeline'));
}
