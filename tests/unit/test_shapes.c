/* Shapes that operators compute: each rule on a model of one or two nodes. */
#include "correlate/types/types.h"

#include "joining.h"
#include "onnx_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* `y` is asked for; "-": its shape must not be known. Further lines stand behind ';'. */
static const struct {
    const char *model, *shape;
} cases[] = {
    /* broadcast */
    {"in a 1 2,1,N;in b 1 3,1;n Add a,b y", "2,3,N"},
    {"in a 1 N,4;in b 1 M,4;n Mul a,b y", "?,4"},
    {"in a 1 N,4;in b 1 N,1;n Mul a,b y", "N,4"},
    {"in a 1 ?,4;in b 1 5,4;n Sub a,b y", "5,4"},
    {"in a 1 2,4;in b 1 5,4;n Sub a,b y", "-"},
    {"in a 1 2,3,4,5;in b 1 3;n Add a,b y;attr broadcast 1;attr axis 1", "2,3,4,5"},
    {"in a 1 4;in b 1 -;in c 1 3,1;n Max a,b,c y", "3,4"},
    {"in a 9 2,1;in b 1 3;in c 1 1;n Where a,b,c y", "2,3"},
    {"in a 1 4;in b 0;n Add a,b y", "-"},
    /* matrices */
    {"in a 1 7,1,2,3;in b 1 5,3,4;n MatMul a,b y", "7,5,2,4"},
    {"in a 1 3;in b 1 5,3,4;n MatMul a,b y", "5,4"},
    {"in a 1 2,3;in b 1 3;n MatMul a,b y", "2"},
    {"in a 1 3;in b 1 3;n MatMul a,b y", ""},
    {"in a 1 2,3;in b 1 4,3;n MatMul a,b y", "-"},
    {"in a 1 3,N;in b 1 4,3;n Gemm a,b y;attr transA 1;attr transB 1", "N,4"},
    {"in a 1 2,3;in b 1 4,3;n Gemm a,b y", "-"},
    /* windows */
    {"in x 1 N,3,224,W;in w 1 64,3,7,7;n Conv x,w y;attr strides 2,2;attr pads 3,3,3,3",
     "N,64,112,?"},
    {"in x 1 1,8,10;in w 1 8,1,3;n Conv x,w y;attr dilations 2,;attr group 8", "1,8,6"},
    {"in x 1 1,3,9,9;in w 1 4,3,3,3;n Conv x,w y;attr strides 2,2;text auto_pad SAME_UPPER",
     "1,4,5,5"},
    {"in x 1 1,3,9,9;in w 1 4,3,3,3;n Conv x,w y;attr strides 0,2", "1,4,?,4"},
    {"in x 1 1,3,9,9;in w 1 4,3,3,3;n Conv x,w y;attr strides 2,", "-"},
    {"in x 1 1,3,2,2;in w 1 4,3,3,3;n Conv x,w y", "1,4,?,?"},
    {"in x 1 1,3,9,9;n MaxPool x y;attr kernel_shape 2,3;attr strides 2,3", "1,3,4,3"},
    {"in x 1 1,3,9,9;n MaxPool x y;attr kernel_shape 2,3;attr strides 2,3;attr ceil_mode 1",
     "1,3,?,3"},
    {"in x 1 1,3,9,9;n AveragePool x y", "-"},
    {"in x 1 N,3,9,9;n GlobalAveragePool x y", "N,3,1,1"},
    /* reductions */
    {"in x 1 2,N,4;n ReduceMean x y;attr axes -1,", "2,N,1"},
    {"in x 1 2,N,4;n ReduceMean x y;attr axes 0,2;attr keepdims 0", "N"},
    {"in x 1 2,N,4;ints a 1;n ReduceSum x,a y;attr keepdims 0", "2,4"},
    {"in x 1 2,N,4;in a 7 1;n ReduceSum x,a y", "-"},
    {"in x 1 2,N,4;n ReduceMax x y;attr keepdims 0", ""},
    {"in x 1 2,N,4;n ReduceSum x y;attr noop_with_empty_axes 1", "2,N,4"},
    {"in x 1 2,N,4;n ReduceSum x y;attr axes 3,", "-"},
    {"in x 1 2,N,4;n ArgMax x y;attr axis 2", "2,N,1"},
    /* data movement */
    {"in x 1 2,N,4;n Transpose x y;attr perm 2,0,1", "4,2,N"},
    {"in x 1 2,N,4;n Transpose x y", "4,N,2"},
    {"in x 1 2,N,4;n Transpose x y;attr perm 2,0", "-"},
    {"in x 1 N,3,4;n Flatten x y", "N,12"},
    {"in x 1 2,3,4;n Flatten x y;attr axis 0", "1,24"},
    {"in x 1 2,3,4;n Flatten x y;attr axis 5", "-"},
    {"in x 1 2,3,4;ints s 0,-1;n Reshape x,s y", "2,12"},
    {"in x 1 N,3,4;ints s 0,-1;n Reshape x,s y", "N,?"},
    {"in x 1 2,3,4;ints s 5,-1;n Reshape x,s y", "5,?"},
    {"in x 1 0,3;ints s 0,3;n Reshape x,s y;attr allowzero 1", "0,3"},
    {"in x 1 2,3,4;in s 7 2;n Reshape x,s y", "-"},
    {"in x 1 2,3,4;ints s -1,-1;n Reshape x,s y", "-"},
    {"in x 1 2,3,4;c Constant - s;attr value_ints 4,6;n Reshape x,s y", "4,6"},
    {"in a 1 2,N;in b 1 3,5;n Concat a,b y;attr axis 0", "5,5"},
    {"in a 1 M,N;in b 1 3,5;n Concat a,b y;attr axis -2", "?,5"},
    {"in x 1 2,6;n Split x z,y;attr axis 1", "2,3"},
    {"in x 1 2,6;n Split x z,y;attr axis 1;attr split 2,4", "2,4"},
    {"in x 1 1,6,1;n Squeeze x y", "6"},
    {"in x 1 1,N,1;n Squeeze x y", "-"},
    {"in x 1 1,N,1;ints a -1;n Squeeze x,a y", "1,N"},
    {"in x 1 2,3;ints a 0,-1;n Unsqueeze x,a y", "1,2,3,1"},
    {"in x 1 2,3;n Unsqueeze x y;attr axes 1,", "2,1,3"},
    {"in x 1 2,3;n Unsqueeze x y;attr axes 1,1", "-"},
    {"in x 1 V,64;in i 7 B,S;n Gather x,i y", "B,S,64"},
    {"in x 1 2,3,4;in i 7 -;n Gather x,i y;attr axis 1", "2,4"},
    {"in x 1 2,N,4;n Shape x y", "3"},
    {"in x 1 2,N,4;n Shape x y;attr start 1", "-"},
    /* through several */
    {"in x 1 1,8;n Relu x a;m Transpose a b;o MatMul x,b y", "1,1"},
    {"in x 1 2,3;n vendor.own:Add x,x y", "-"},
};

static const char *shape_text(const struct mi_tables *rows, const struct mi_model *model,
                              uint32_t v)
{
    static char text[256];
    size_t len = 0;
    if (!rows->values.has_shape[v])
        return "-";
    text[0] = 0;
    for (uint32_t i = 0; i < rows->values.dim_count[v]; i++) {
        uint32_t dim = rows->values.first_dim[v] + i;
        struct mi_bytes symbol = mi_model_text(model, rows->dims.symbol[dim]);
        len += (size_t)(rows->dims.size[dim] >= 0
                            ? snprintf(text + len, sizeof text - len, "%s%lld", i ? "," : "",
                                       (long long)rows->dims.size[dim])
                            : snprintf(text + len, sizeof text - len, "%s%.*s", i ? "," : "",
                                       symbol.len ? (int)symbol.len : 1,
                                       symbol.len ? (const char *)symbol.at : "?"));
    }
    return text;
}

static void rules(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[512];
        struct joining joining;
        struct onnx_writer w = {0};
        snprintf(text, sizeof text, "%s\n", cases[c].model);
        for (char *at = text; (at = strchr(at, ';')) != NULL;)
            *at = '\n';
        joining_init(&joining);
        onnx_from_text(&w, text);
        joining_bytes(&joining, "onnx", (struct mi_bytes){w.at, w.len}, "f");
        assert_true(mi_model_index_graphs(&joining.model, &joining.err));
        assert_true(mi_fill_types(&joining.model, &joining.err));
        const struct mi_tables *rows = &joining.model.all.rows;
        uint32_t y = 0;
        for (uint32_t v = 1; v < rows->values.count; v++)
            if (mi_bytes_equal(mi_model_text(&joining.model, rows->values.name[v]), MI_LIT("y")))
                y = v;
        assert_int_not_equal(y, 0);
        const char *shape = shape_text(rows, &joining.model, y);
        if (strcmp(shape, cases[c].shape) != 0)
            fail_msg("%s: %s, not %s", cases[c].model, shape, cases[c].shape);
        joining_fini(&joining);
        onnx_writer_fini(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
