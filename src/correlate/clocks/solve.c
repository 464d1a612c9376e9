#include "correlate/clocks/solve.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

/* y = A x, for the normal equations; the row of the offset of clock 0 is left out. */
static void multiply(const struct mi_system *m, const double *x, double *y)
{
    uint32_t n = m->clock_count, delay = 2 * n;
    memset(y, 0, (2 * (size_t)n + 1) * sizeof *y);
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct mi_sums *p = &m->pairs[i];
        double a = x[p->high] - x[p->low], b = x[n + p->high] - x[n + p->low], d = x[delay];
        double offset = p->w * a + p->t * b + p->s * d, slope = p->t * a + p->tt * b + p->st * d;
        y[p->high] += offset;
        y[p->low] -= offset;
        y[n + p->high] += slope;
        y[n + p->low] -= slope;
        y[delay] += p->s * a + p->st * b + p->ss * d;
    }
    for (uint32_t u = 0; u < n; u++)
        y[n + u] += m->slope_weight * x[n + u];
    y[delay] += m->delay_weight * x[delay];
    y[0] = x[0];
}

static void right_side(const struct mi_system *m, double *y)
{
    uint32_t n = m->clock_count, delay = 2 * n;
    memset(y, 0, (2 * (size_t)n + 1) * sizeof *y);
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct mi_sums *p = &m->pairs[i];
        y[p->high] += p->y;
        y[p->low] -= p->y;
        y[n + p->high] += p->yt;
        y[n + p->low] -= p->yt;
        y[delay] += p->ys;
    }
    for (uint32_t u = 0; u < n; u++)
        y[n + u] += m->slope_weight * m->slope_towards[u];
    y[delay] += m->delay_weight * m->delay_towards;
    y[0] = 0;
}

static void diagonal(const struct mi_system *m, double *y)
{
    uint32_t n = m->clock_count, delay = 2 * n;
    memset(y, 0, (2 * (size_t)n + 1) * sizeof *y);
    for (uint32_t i = 0; i < m->pair_count; i++) {
        const struct mi_sums *p = &m->pairs[i];
        y[p->high] += p->w;
        y[p->low] += p->w;
        y[n + p->high] += p->tt;
        y[n + p->low] += p->tt;
        y[delay] += p->ss;
    }
    for (uint32_t u = 0; u < n; u++)
        y[n + u] += m->slope_weight;
    y[delay] += m->delay_weight;
    y[0] = 1;
    for (uint32_t i = 0; i <= delay; i++)
        y[i] = y[i] > 0 ? y[i] : 1;
}

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Conjugate gradients; the matrix is symmetric and positive. */
bool mi_solve(const struct mi_system *m, double *x)
{
    size_t size = 2 * (size_t)m->clock_count + 1;
    double *r = mi_mem_zero(size * 5, sizeof *r), *z = r + size, *p = z + size, *ap = p + size;
    double *scale = ap + size;
    if (!r)
        return false;
    memset(x, 0, size * sizeof *x);
    diagonal(m, scale);
    right_side(m, r); /* what is left at x = 0 */
    for (size_t i = 0; i < size; i++)
        z[i] = p[i] = r[i] / scale[i];
    double rz = dot(r, z, size), first = rz;
    for (size_t step = 0; step < 20 * size + 100 && rz > first * 1e-26 && rz > 0; step++) {
        multiply(m, p, ap);
        ap[0] = p[0] = 0;
        double curve = dot(p, ap, size), go = curve > 0 ? rz / curve : 0, last = rz;
        for (size_t i = 0; i < size; i++) {
            x[i] += go * p[i];
            r[i] -= go * ap[i];
            z[i] = r[i] / scale[i];
        }
        rz = dot(r, z, size);
        for (size_t i = 0; i < size; i++)
            p[i] = z[i] + rz / last * p[i];
        if (go == 0)
            break;
    }
    mi_mem_free(r);
    return true;
}
