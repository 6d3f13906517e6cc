// How a request and its descriptors reach a supervisor that has been forked before they came.
#ifndef HANDOVER_H
#define HANDOVER_H

#include "supervisor.h"

#define HANDOVER_MOST (32u << 10) // of payload: nearly every request. For a larger one a supervisor is forked, which inherits it

// False if it was not handed over: the request is too large, or nobody is there.
bool handover_send(int control, const struct request *request, const struct ends *ends);

// Waits for the next one. False when there will be none. The payload stays valid until the next call.
bool handover_receive(int control, struct request *request, struct ends *ends);

#endif
