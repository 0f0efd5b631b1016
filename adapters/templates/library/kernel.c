/* A shared library for castproof. Put your kernel where uint8_to_float32 is.
 *     cc -O2 -shared -fPIC -I ../../../gate/include -o libkernel.so kernel.c
 *     castproof gate --library ./libkernel.so --from uint8 --to float32 */
#include "castproof.h"

#include <stdio.h>
#include <string.h>

static void uint8_to_float32(const unsigned char *input, float *output, size_t count) {
    for (size_t i = 0; i < count; i++) output[i] = input[i];
}

/* The specifications other than ONNX's that the kernel follows, as `castproof gate --profile NAME` asks for them. */
const char *castproof_profiles(void) { return "rust-as"; }

int castproof_cast(const struct castproof_request *request, const void *input, void *output,
                   char *message, size_t message_size) {
    /* An attribute that the operator set does not have yet must be refused. The profiles here have none. */
    int too_new = (request->opset < 19 && request->saturate >= 0) ||
                  (request->opset < 24 && request->round_mode);
    if (strcmp(request->from, "uint8") || strcmp(request->to, "float32") || too_new) {
        snprintf(message, message_size, "no cast from %s to %s here", request->from, request->to);
        return CASTPROOF_UNSUPPORTED;
    }
    uint8_to_float32(input, output, request->count);
    return CASTPROOF_OK;
}
