#include "parse/foreign.h"

#include "base/pb_wire.h"
#include "base/translate.h"
#include "base/zip.h"

#include <ctype.h>
#include <stdio.h>

/* Signatures: at the start of a file, behind white space where `is_text`, or at `offset`. The first
 * that fits speaks. */
static const struct {
    const char *magic; /* in lower case where `is_text` */
    size_t offset;
    bool is_text;
    const char *what;
} signatures[] = {
    {"version https://git-lfs", 0, true,
     N_("this is a Git LFS pointer, not the file itself; fetch it with: git lfs pull")},
    {"<!doctype html", 0, true,
     N_("this is a web page, not a model; the download gave a page instead of the file")},
    {"<html", 0, true,
     N_("this is a web page, not a model; the download gave a page instead of the file")},
    {"<?xml", 0, true, N_("this is an XML document, which no reader understands")},
    {"ir_version:", 0, true,
     N_("this is an ONNX model as text; save it in binary form (onnx.load and onnx.save)")},
    {"\x7f"
     "ELF",
     0, false, N_("this is a program or library (ELF), not a model")},
    {"PK\x03\x04", 0, false,
     N_("this is a ZIP archive (perhaps a PyTorch checkpoint) that no reader understands; export "
        "the "
        "model to ONNX")},
    {"\x80\x02", 0, false,
     N_("this is a Python pickle (a checkpoint, not a graph); export the model to ONNX")},
    {"\x89PNG", 0, false, N_("this is a picture, not a model")},
    {"\xff\xd8\xff", 0, false, N_("this is a picture, not a model")},
    {"%PDF", 0, false, N_("this is a PDF document, not a model")},
    {"\x89HDF", 0, false,
     N_("this is an HDF5 file (perhaps a Keras model); export the model to ONNX")},
    {"GGUF", 0, false, N_("this is a GGUF file: weights without a graph")},
    {"{\"", 8, false, N_("this is a safetensors file: weights without a graph")},
    {"ORTM", 4, false,
     N_("this is a model in ONNX Runtime's own format; only .onnx models can be read")},
    {"MSL", 4, false,
     N_("this is a MindSpore Lite model, which no reader understands; use the .mindir file that it "
        "was converted from")},
    {"TFL3", 4, false, N_("this is a TensorFlow Lite model, which no reader understands")},
    {"SQLite format 3", 0, false, N_("this is an SQLite database that no reader understands")},
    {"{", 0, true, N_("this is JSON that no reader understands")},
    {"[", 0, true, N_("this is JSON that no reader understands")},
};

static bool starts_with(struct mi_bytes bytes, struct mi_bytes magic, bool ignore_case)
{
    if (bytes.len < magic.len)
        return false;
    for (size_t i = 0; i < magic.len; i++) {
        int have = ignore_case ? tolower(bytes.at[i]) : bytes.at[i];
        if (have != magic.at[i])
            return false;
    }
    return true;
}

static bool is_blank(uint8_t byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static bool all_zero(struct mi_bytes bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        if (bytes.at[i])
            return false;
    return true;
}

static bool looks_like_text(struct mi_bytes bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        if (bytes.at[i] < 0x20 && !is_blank(bytes.at[i]))
            return false;
    return true;
}

/* "<ir_version: 8, ...> name (float[N] x) => (float[N] y) {" */
static bool looks_like_model_text(struct mi_bytes words)
{
    if (!mi_bytes_starts(words, MI_LIT("<")))
        return false;
    words = mi_bytes_sub(words, 1, words.len);
    while (words.len && is_blank(words.at[0]))
        words = mi_bytes_sub(words, 1, words.len);
    return mi_bytes_starts(words, MI_LIT("ir_version"));
}

/* ONNX's TensorProto: dims=1, data_type=2, numbers in 4 to 7, 9 to 11, name=8, and no others but
 * notes in 12 to 16. */
static bool is_tensor(struct mi_bytes bytes)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pb pb = mi_pb_init(bytes, 0, &err);
    bool has_type = false, has_data = false;
    while (mi_pb_next(&pb)) {
        uint32_t field = mi_pb_field(&pb);
        bool is_number = field == 2 || field == 14;
        if (field > 16 || (is_number && mi_pb_type(&pb) != MI_PB_VARINT) ||
            ((field == 8 || field == 9) && mi_pb_type(&pb) != MI_PB_LEN))
            return false;
        has_type = has_type || (field == 2 && pb.value >= 1 && pb.value < 64);
        has_data = has_data || (field >= 4 && field <= 11 && field != 8) || field == 13;
    }
    return !err.code && has_type && has_data;
}

/* The schema is the first member of each JSON dump; in a Chrome trace the first of `otherData`. */
static bool has_own_schema(struct mi_bytes head)
{
    static const char *const schemas[] = {"\"model-inspector-graph/", "\"model-inspector-trace/",
                                          "\"model-inspector-summary/", "\"model-inspector-chrome/",
                                          "\"casegen-mapping/"};
    static const struct mi_bytes key = {(const uint8_t *)"\"schema\":", 9};
    size_t at = 0;
    while (at < head.len && !mi_bytes_starts(mi_bytes_sub(head, at, key.len), key))
        at++;
    at += key.len;
    while (at < head.len && is_blank(head.at[at]))
        at++;
    for (size_t i = 0; i < sizeof schemas / sizeof *schemas; i++)
        if (mi_bytes_starts(mi_bytes_sub(head, at, head.len), mi_cstr(schemas[i])))
            return true;
    return false;
}

bool mi_is_own_dump(struct mi_bytes bytes)
{
    if (mi_bytes_starts(bytes, MI_LIT("SQLite format 3"))) /* application id, see sqlite.c */
        return mi_bytes_equal(mi_bytes_sub(bytes, 68, 4), MI_LIT("MInS"));
    if (mi_bytes_starts(bytes, MI_LIT("{")))
        return has_own_schema(mi_bytes_sub(bytes, 0, 128));
    return mi_bytes_starts(bytes, MI_LIT("// model-inspector-dot/")) ||
           mi_bytes_starts(bytes, MI_LIT("<!doctype html>\n<!-- model-inspector-report/"));
}

/* CANN's newer package: manifest.json and folders data/model_<i>/, possibly below one folder. */
static bool is_om2(struct mi_bytes bytes)
{
    struct mi_zip zip;
    struct mi_error err = MI_ERROR_INIT;
    bool has_manifest = false, has_model = false;
    if (!mi_zip_sniff(bytes) || !mi_zip_open(&zip, bytes, MI_ZIP_MAX_MEMBERS, &err))
        return false;
    for (uint32_t i = 0; i < zip.count; i++) {
        struct mi_bytes name = zip.members[i].name;
        has_manifest = has_manifest || mi_bytes_ends(name, MI_LIT("manifest.json"));
        has_model = has_model || mi_bytes_ends(name, MI_LIT("/model_meta.json"));
    }
    mi_zip_close(&zip);
    return has_manifest && has_model;
}

void mi_explain_foreign(struct mi_bytes bytes, char *text, size_t size)
{
    struct mi_bytes head = mi_bytes_sub(bytes, 0, 4096), words = head;
    if (mi_bytes_starts(words, MI_LIT("\xef\xbb\xbf")))
        words = mi_bytes_sub(words, 3, words.len);
    while (words.len && is_blank(words.at[0]))
        words = mi_bytes_sub(words, 1, words.len);
    const char *what = NULL;
    for (size_t i = 0; !what && i < sizeof signatures / sizeof *signatures; i++)
        if (starts_with(
                mi_bytes_sub(signatures[i].is_text ? words : head, signatures[i].offset, 64),
                mi_cstr(signatures[i].magic), signatures[i].is_text))
            what = signatures[i].what;
    if (mi_is_own_dump(bytes))
        what = N_("this is a dump that this program wrote; dumps are not read back");
    else if (!bytes.len)
        what = N_("the file is empty");
    else if (is_om2(bytes))
        what =
            N_("this is an OM2 package of CANN: its tasks are generated code and cannot be shown; "
               "for the graph unpack it and give data/model_0/debug/ge_visual_*.json");
    else if (!what && all_zero(head))
        what = N_("the file begins with zeros only; perhaps its download was cut off");
    else if (!what && is_tensor(bytes))
        what = N_("this is one ONNX tensor (such as test data of a model), not a model");
    else if (!what && looks_like_model_text(words))
        what =
            N_("this is an ONNX model as text; save it in binary form (onnx.parser and onnx.save)");
    else if (!what && looks_like_text(head))
        what = N_("this is text that no reader understands");
    snprintf(text, size, "%s", what ? what : N_("no reader understands this file"));
}
