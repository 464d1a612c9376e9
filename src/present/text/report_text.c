#include "present/text/report_text.h"

#include "base/decimal.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "present/text/message.h"

#define MAX_INDENT     40
#define PIPE_MOST      60 /* a longer cell is not cut in a pipe, but does not widen its column */
#define NAME_LEAST     12 /* names on a terminal keep at least so many columns */
#define NAME_FAIR      20 /* ... and details go before names get shorter than this */
#define COLUMN_GAP     2
#define ELLIPSIS       "\xe2\x80\xa6"
#define COLOR_BOLD     "\x1b[1m"
#define COLOR_DIM      "\x1b[2m"
#define COLOR_OFF      "\x1b[0m"
#define COLOR_SEVERITY "\x1b[33m"

/* --- numbers --- */

/* Marks the thousands in a text of digits with optional sign and fraction. */
static void put_grouped(struct mi_sink *sink, const char *digits)
{
    if (*digits == '-')
        mi_sink_byte(sink, (uint8_t)*digits++);
    size_t whole = strcspn(digits, ".");
    for (size_t i = 0; i < whole; i++) {
        if (i && (whole - i) % 3 == 0)
            mi_sink_byte(sink, ',');
        mi_sink_byte(sink, (uint8_t)digits[i]);
    }
    mi_sink_text(sink, digits + whole);
}

void mi_text_number(struct mi_sink *sink, int64_t number)
{
    char digits[MI_DECIMAL_ROOM];
    mi_decimal_format_i64(number, digits);
    put_grouped(sink, digits);
}

void mi_text_us(struct mi_sink *sink, int64_t ns)
{
    char digits[MI_DECIMAL_ROOM];
    mi_decimal_format_us(ns, digits);
    put_grouped(sink, digits);
}

void mi_text_share(struct mi_sink *sink, int64_t ppm)
{
    int64_t tenths = (ppm + (ppm < 0 ? -500 : 500)) / 1000;
    if (tenths < 0)
        mi_sink_byte(sink, '-');
    tenths = tenths < 0 ? -tenths : tenths;
    mi_sink_i64(sink, tenths / 10);
    mi_sink_byte(sink, '.');
    mi_sink_i64(sink, tenths % 10);
    mi_sink_text(sink, " %");
}

/* --- words and cells --- */

/* A word of ours: translated, in English with blanks instead of underscores. */
static void put_word(struct mi_sink *sink, enum mi_lang lang, const char *word)
{
    const char *text = mi_tr(lang, word);
    for (; *text; text++)
        mi_sink_byte(sink, *text == '_' && lang == MI_LANG_EN ? ' ' : (uint8_t)*text);
}

static bool is_us(const char *unit)
{
    return unit && strcmp(unit, "ns") == 0;
}

void mi_text_cell(struct mi_sink *sink, enum mi_lang lang, enum mi_cell_kind kind, const char *unit,
                  const struct mi_cell *cell)
{
    char digits[MI_DECIMAL_ROOM];
    if (cell->is_none) {
        mi_sink_byte(sink, '-');
        return;
    }
    switch (kind) {
    case MI_CELL_TEXT:
        mi_utf8_show(sink, cell->text, 0);
        return;
    case MI_CELL_SENTENCE:
        mi_text_message(sink, lang, cell->text);
        return;
    case MI_CELL_WORD:
        put_word(sink, lang, cell->word ? cell->word : "");
        return;
    case MI_CELL_INT:
        if (is_us(unit))
            mi_text_us(sink, cell->number);
        else
            mi_text_number(sink, cell->number);
        return;
    case MI_CELL_SHARE:
        mi_text_share(sink, cell->number);
        return;
    case MI_CELL_REAL:
        mi_decimal_format_double(cell->real, digits);
        mi_sink_text(sink, digits);
        return;
    case MI_CELL_NODE:
        mi_sink_text(sink, "node:");
        mi_sink_i64(sink, cell->number);
        return;
    case MI_CELL_TASK:
        mi_sink_text(sink, "task:");
        mi_sink_i64(sink, cell->number);
        return;
    case MI_CELL_BOOL:
        mi_sink_text(sink, mi_tr(lang, cell->number ? N_("yes") : N_("no")));
        return;
    case MI_CELL_DEPTH:
        mi_sink_repeat(sink, ' ',
                       2 * (size_t)(cell->number < MAX_INDENT ? cell->number : MAX_INDENT));
        return;
    }
}

static bool is_right(enum mi_cell_kind kind)
{
    return kind == MI_CELL_INT || kind == MI_CELL_SHARE || kind == MI_CELL_REAL;
}

/* Cells that may be shortened. */
static bool is_name(enum mi_cell_kind kind)
{
    return kind == MI_CELL_TEXT || kind == MI_CELL_SENTENCE;
}

/* --- lines that fit --- */

/* Columns of text that is escaped already. */
static size_t plain_width(struct mi_bytes text)
{
    size_t width = 0, at = 0;
    uint32_t code = 0;
    while (at < text.len) {
        if (text.at[at] < 0x80) {
            width++;
            at++;
            continue;
        }
        unsigned len = mi_utf8_decode(text.at + at, text.len - at, &code);
        width += len ? mi_utf8_width(code) : 1;
        at += len ? len : 1;
    }
    return width;
}

/* Writes `text` (already escaped, valid UTF-8) in at most `most` columns; what is too long loses
 * its middle. Returns the columns used. */
static size_t put_shortened(struct mi_sink *sink, struct mi_bytes text, size_t most)
{
    size_t width = plain_width(text);
    if (most == 0 || width <= most) {
        mi_sink_write(sink, text);
        return width;
    }
    size_t head = (most - 1) / 2, tail = most - 1 - head, used = 0, at = 0, passed = 0;
    uint32_t code = 0;
    while (at < text.len) {
        unsigned len = mi_utf8_decode(text.at + at, text.len - at, &code);
        unsigned wide = mi_utf8_width(code);
        if (!len || used + wide > head)
            break;
        used += wide;
        at += len;
    }
    mi_sink_write(sink, mi_bytes_sub(text, 0, at));
    mi_sink_text(sink, ELLIPSIS);
    passed = used;
    used++;
    while (at < text.len && width - passed > tail) {
        unsigned len = mi_utf8_decode(text.at + at, text.len - at, &code);
        passed += mi_utf8_width(code);
        at += len ? len : 1;
    }
    mi_sink_write(sink, mi_bytes_sub(text, at, text.len));
    return used + (width - passed);
}

/* --- tables --- */

struct text_cell {
    size_t at, len; /* in the sink of the rendered line */
    size_t width;   /* columns on the screen */
};

/* Lines are rendered twice, to be measured and to be written: keeping the cells of a table of
 * 100,000 rows costs more than making them again. */
struct layout {
    const struct mi_report_table *table;
    const struct mi_text_options *options;
    struct mi_sink texts;    /* of one line */
    struct text_cell *cells; /* [column_count] of that line */
    size_t *widths;          /* [column_count]; columns left out have is_shown false */
    bool *is_shown;
    bool is_list; /* indented: what is not known stays blank */
    bool is_cut;  /* details were left out */
};

static bool is_column_shown(const struct mi_report_table *table, unsigned c)
{
    if (table->columns[c].kind == MI_CELL_DEPTH || !table->columns[c].title)
        return false;
    for (uint32_t r = 0; r < table->row_count; r++)
        if (!table->cells[(size_t)r * table->column_count + c].is_none)
            return true;
    return false;
}

static void close_cell(const struct layout *layout, struct text_cell *cell, size_t from)
{
    struct mi_bytes all = mi_sink_bytes(&layout->texts);
    struct mi_bytes text = mi_bytes_sub(all, from, all.len);
    *cell = (struct text_cell){from, text.len, plain_width(text)};
}

static void render_heading(struct layout *layout, unsigned c)
{
    const struct mi_report_column *column = &layout->table->columns[c];
    size_t from = (size_t)mi_sink_size(&layout->texts);
    mi_sink_text(&layout->texts, mi_tr(layout->options->lang, column->title));
    if (column->kind == MI_CELL_INT && is_us(column->unit))
        mi_sink_text(&layout->texts, " (us)");
    else if (column->kind == MI_CELL_INT && column->unit && *column->unit) {
        mi_sink_text(&layout->texts, " (");
        mi_sink_text(&layout->texts, column->unit);
        mi_sink_text(&layout->texts, ")");
    }
    close_cell(layout, &layout->cells[c], from);
}

static void render_row(struct layout *layout, uint32_t row)
{
    const struct mi_report_table *table = layout->table;
    const struct mi_cell *cells = &table->cells[(size_t)row * table->column_count];
    for (unsigned c = 0; c < table->column_count; c++) {
        if (!layout->is_shown[c])
            continue;
        const struct mi_report_column *column = &table->columns[c];
        size_t from = (size_t)mi_sink_size(&layout->texts);
        if (c > 0 && table->columns[c - 1].kind == MI_CELL_DEPTH && !cells[c - 1].is_none)
            mi_text_cell(&layout->texts, layout->options->lang, MI_CELL_DEPTH, "", &cells[c - 1]);
        if (!cells[c].is_none || !layout->is_list)
            mi_text_cell(&layout->texts, layout->options->lang, column->kind, column->unit,
                         &cells[c]);
        close_cell(layout, &layout->cells[c], from);
    }
}

/* Line 0 holds the headings, line i + 1 row i. */
static void render_line(struct layout *layout, uint32_t line)
{
    mi_sink_clear(&layout->texts);
    if (line > 0)
        render_row(layout, line - 1);
    for (unsigned c = 0; line == 0 && c < layout->table->column_count; c++)
        if (layout->is_shown[c])
            render_heading(layout, c);
}

/* Widths as wide as the content; in a pipe up to a limit. */
static void measure(struct layout *layout)
{
    const struct mi_report_table *table = layout->table;
    bool is_pipe = layout->options->columns == 0;
    for (uint32_t line = 0; line <= table->row_count; line++) {
        render_line(layout, line);
        for (unsigned c = 0; c < table->column_count; c++) {
            size_t width = layout->is_shown[c] ? layout->cells[c].width : 0;
            if (is_pipe && line > 0 && width > PIPE_MOST)
                width = PIPE_MOST;
            if (width > layout->widths[c])
                layout->widths[c] = width;
        }
    }
}

/* Columns of the screen that a line takes when no name takes more than `name_most`. */
static size_t line_width(const struct layout *layout, size_t name_most)
{
    const struct mi_report_table *table = layout->table;
    size_t total = 0;
    for (unsigned c = 0; c < table->column_count; c++) {
        size_t width = layout->widths[c];
        if (is_name(table->columns[c].kind) && width > name_most)
            width = name_most;
        if (layout->is_shown[c])
            total += width + COLUMN_GAP;
    }
    return total;
}

/* Leaves out details, the last one first, until the line fits with names of a fair length. */
static void drop_details(struct layout *layout)
{
    const struct mi_report_table *table = layout->table;
    for (unsigned c = table->column_count; c-- > 0;)
        if (c < 64 && table->details >> c & 1 && layout->is_shown[c] &&
            line_width(layout, NAME_FAIR) > layout->options->columns) {
            layout->is_shown[c] = false;
            layout->is_cut = true;
        }
}

/* Cuts the widest name a little at a time, so that two long columns share the loss. */
static void shrink_names(struct layout *layout)
{
    const struct mi_report_table *table = layout->table;
    size_t most = layout->options->columns, total = line_width(layout, SIZE_MAX);
    while (total > most) {
        unsigned widest = table->column_count;
        for (unsigned c = 0; c < table->column_count; c++)
            if (layout->is_shown[c] && is_name(table->columns[c].kind) &&
                (widest == table->column_count || layout->widths[c] > layout->widths[widest]))
                widest = c;
        if (widest == table->column_count || layout->widths[widest] <= NAME_LEAST)
            return;
        size_t cut = total - most, rest = layout->widths[widest] - NAME_LEAST;
        cut = cut < rest ? cut : rest;
        cut = cut > 4 ? (cut + 3) / 4 : cut;
        layout->widths[widest] -= cut;
        total -= cut;
    }
}

/* "(--wide also shows: rule, evidence)" */
static void write_left_out(const struct layout *layout, struct mi_sink *sink)
{
    const struct mi_report_table *table = layout->table;
    enum mi_lang lang = layout->options->lang;
    bool is_first = true;
    mi_sink_text(sink, "  (");
    mi_sink_text(sink, mi_tr(lang, N_("--wide also shows:")));
    for (unsigned c = 0; c < table->column_count; c++) {
        if (layout->is_shown[c] || !is_column_shown(table, c))
            continue;
        mi_sink_text(sink, is_first ? " " : ", ");
        mi_sink_text(sink, mi_tr(lang, table->columns[c].title));
        is_first = false;
    }
    mi_sink_text(sink, ")\n");
}

static void write_line(struct layout *layout, uint32_t line, struct mi_sink *sink)
{
    render_line(layout, line);
    const struct mi_report_table *table = layout->table;
    size_t owed = COLUMN_GAP; /* blanks that come before the next text */
    for (unsigned c = 0; c < table->column_count; c++) {
        if (!layout->is_shown[c])
            continue;
        const struct text_cell *cell = &layout->cells[c];
        struct mi_bytes text = mi_bytes_sub(mi_sink_bytes(&layout->texts), cell->at, cell->len);
        size_t width = layout->widths[c];
        bool right = is_right(table->columns[c].kind);
        if (right && cell->width < width)
            owed += width - cell->width;
        if (text.len)
            mi_sink_repeat(sink, ' ', owed);
        size_t used = cell->width;
        if (layout->options->columns && cell->width > width)
            used = put_shortened(sink, text, width);
        else
            mi_sink_write(sink, text);
        owed = (text.len ? 0 : owed) + COLUMN_GAP;
        if (!right && used < width)
            owed += width - used;
    }
    mi_sink_byte(sink, '\n');
}

static void write_table(const struct mi_report_table *table, const struct mi_text_options *options,
                        struct mi_sink *sink)
{
    struct layout layout = {.table = table, .options = options};
    layout.cells = mi_mem_zero(table->column_count, sizeof *layout.cells);
    layout.widths = mi_mem_zero(table->column_count, sizeof *layout.widths);
    layout.is_shown = mi_mem_zero(table->column_count, sizeof *layout.is_shown);
    mi_sink_init_memory(&layout.texts);
    if (layout.cells && layout.widths && layout.is_shown) {
        for (unsigned c = 0; c < table->column_count; c++)
            layout.is_list = layout.is_list || table->columns[c].kind == MI_CELL_DEPTH;
        for (unsigned c = 0; c < table->column_count; c++)
            layout.is_shown[c] = is_column_shown(table, c);
        measure(&layout);
        if (options->columns) {
            drop_details(&layout);
            shrink_names(&layout);
        }
        mi_sink_text(sink, options->color ? COLOR_DIM : "");
        write_line(&layout, 0, sink);
        mi_sink_text(sink, options->color ? COLOR_OFF : "");
        for (uint32_t r = 1; r <= table->row_count; r++)
            write_line(&layout, r, sink);
        if (layout.is_cut)
            write_left_out(&layout, sink);
    } else {
        mi_sink_fail(sink, MI_ENOMEM, "out of memory");
    }
    if (mi_sink_failed(&layout.texts))
        mi_sink_fail(sink, layout.texts.error.code, layout.texts.error.text);
    mi_sink_fini(&layout.texts);
    mi_mem_free(layout.cells);
    mi_mem_free(layout.widths);
    mi_mem_free(layout.is_shown);
}

/* --- facts and findings --- */

static size_t width_of(const char *text)
{
    return plain_width(mi_cstr(text));
}

static void write_facts(const struct mi_report *report, const struct mi_text_options *options,
                        struct mi_sink *sink)
{
    size_t widest = 0;
    for (uint32_t f = 0; f < report->fact_count; f++) {
        size_t width = width_of(mi_tr(options->lang, report->facts[f].title));
        widest = width > widest ? width : widest;
    }
    for (uint32_t f = 0; f < report->fact_count; f++) {
        const struct mi_report_fact *fact = &report->facts[f];
        const char *title = mi_tr(options->lang, fact->title);
        mi_sink_text(sink, title);
        mi_sink_repeat(sink, ' ', widest - width_of(title) + COLUMN_GAP);
        mi_text_cell(sink, options->lang, fact->kind, fact->unit, &fact->cell);
        if (!fact->cell.is_none && fact->kind == MI_CELL_INT && fact->unit && *fact->unit) {
            mi_sink_byte(sink, ' ');
            mi_sink_text(sink, is_us(fact->unit) ? "us" : fact->unit);
        }
        mi_sink_byte(sink, '\n');
    }
}

void mi_text_sentence(struct mi_sink *sink, const char *sentence, const struct mi_bytes *args,
                      unsigned arg_count)
{
    for (; *sentence; sentence++) {
        unsigned which = (unsigned)(sentence[1] - '1');
        if (*sentence == '%' && sentence[1] >= '1' && which < arg_count) {
            mi_utf8_show(sink, args[which], 0);
            sentence++;
        } else {
            mi_sink_byte(sink, (uint8_t)*sentence);
        }
    }
}

/* "    106.498 us, 7.6 % of the run (simulation)" */
static void write_cost(const struct mi_finding *finding, enum mi_lang lang, struct mi_sink *sink)
{
    struct mi_cell share = mi_cell_share(finding->cost_ns, finding->whole_ns);
    char cost[MI_DECIMAL_ROOM];
    struct mi_sink text;
    const char *from = finding->cost_from ? finding->cost_from : N_("sum of times");
    mi_decimal_format_span(finding->cost_ns, cost);
    mi_sink_init_memory(&text);
    mi_text_cell(&text, lang, MI_CELL_SHARE, "", &share);
    struct mi_bytes args[] = {mi_cstr(cost), mi_cstr(mi_tr(lang, from)), mi_sink_bytes(&text)};
    mi_sink_text(sink, "    ");
    mi_text_sentence(sink,
                     mi_tr(lang, share.is_none ? N_("%1 (%2)") : N_("%1, %3 of the run (%2)")),
                     args, sizeof args / sizeof *args);
    mi_sink_byte(sink, '\n');
    mi_sink_fini(&text);
}

/* What findings with advice say below their sentence. */
static void write_advice(const struct mi_finding *finding, enum mi_lang lang, struct mi_sink *sink)
{
    if (finding->cost_ns >= 0)
        write_cost(finding, lang, sink);
    mi_sink_text(sink, "    ");
    mi_sink_text(sink, mi_tr(lang, N_("try:")));
    mi_sink_byte(sink, ' ');
    mi_text_sentence(sink, mi_tr(lang, finding->advice), finding->args,
                     sizeof finding->args / sizeof *finding->args);
    mi_sink_byte(sink, '\n');
}

/* The rule is a word that scripts and documents know: it is not translated. */
static void write_rule(const struct mi_finding *finding, enum mi_lang lang, struct mi_sink *sink)
{
    mi_sink_text(sink, finding->rule);
    if (finding->is_experimental) {
        mi_sink_text(sink, " (");
        mi_sink_text(sink, mi_tr(lang, N_("experimental")));
        mi_sink_byte(sink, ')');
    }
    mi_sink_text(sink, ": ");
}

static void write_findings(const struct mi_report *report, const struct mi_text_options *options,
                           struct mi_sink *sink)
{
    for (uint32_t f = 0; f < report->finding_count; f++) {
        const struct mi_finding *finding = &report->findings[f];
        const char *severity = mi_enum_name(MI_E_severity, finding->severity);
        mi_sink_text(sink, options->color && finding->severity != MI_INFO ? COLOR_SEVERITY : "");
        put_word(sink, options->lang, severity);
        mi_sink_text(sink, options->color && finding->severity != MI_INFO ? COLOR_OFF : "");
        mi_sink_text(sink, ": ");
        if (finding->advice)
            write_rule(finding, options->lang, sink);
        mi_text_sentence(sink, mi_tr(options->lang, finding->sentence), finding->args,
                         sizeof finding->args / sizeof *finding->args);
        mi_sink_byte(sink, '\n');
        if (finding->advice)
            write_advice(finding, options->lang, sink);
    }
}

void mi_report_write_text(const struct mi_report *report, const struct mi_text_options *options,
                          struct mi_sink *sink)
{
    bool has_rows = false, is_first = report->fact_count == 0;
    write_facts(report, options, sink);
    for (uint32_t t = 0; t < report->table_count; t++)
        has_rows = has_rows || report->tables[t].row_count > 0;
    for (uint32_t t = 0; t < report->table_count; t++) {
        const struct mi_report_table *table = &report->tables[t];
        if (table->row_count == 0 && has_rows)
            continue;
        mi_sink_text(sink, is_first ? "" : "\n");
        is_first = false;
        mi_sink_text(sink, options->color ? COLOR_BOLD : "");
        mi_sink_text(sink, mi_tr(options->lang, table->title));
        mi_sink_text(sink, options->color ? COLOR_OFF : "");
        mi_sink_byte(sink, '\n');
        if (table->row_count == 0) {
            mi_sink_text(sink, "  ");
            mi_sink_text(sink, mi_tr(options->lang, N_("(none)")));
            mi_sink_byte(sink, '\n');
        } else {
            write_table(table, options, sink);
        }
    }
    if (report->finding_count && !is_first)
        mi_sink_byte(sink, '\n');
    write_findings(report, options, sink);
}
