/* GE dumps from a few words, for tests. Each line is a node of the open graph:
 *
 *   graph NAME
 *   NAME TYPE INPUT,INPUT [WORD...]     "-" = no input; an input is NODE, NODE:INDEX or NODE:-1
 *
 *   ids count from 0 over the whole model. Words:
 *   rec=A+B    names in _datadump_original_op_names; rec= is the empty list
 *   org=NAME   the first output was an output of NAME before compiling
 *   multi      _datadump_is_multiop
 *   int:KEY=N  attribute KEY
 *   sub=A+B    graphs that the node owns
 *   none       the node has no output */
#ifndef MI_TESTS_GE_TEXT_H
#define MI_TESTS_GE_TEXT_H

/* The dump as a string that the caller frees; aborts on bad text or without memory. */
char *ge_from_text(const char *text);

#endif
