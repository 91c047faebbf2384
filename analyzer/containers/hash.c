/* SPDX-License-Identifier: Apache-2.0 */
/* The name of a code object: the SHA-256 of its bytes, by OpenSSL's library (docs/DECISIONS.md). */
#include "analyzer/containers/containers.h"

#include <errno.h>
#include <stdio.h>

#include <openssl/evp.h>

int containers_sha256(const void *data, size_t size, char hex[CODEOBJ_SHA256_SIZE])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned length = 0;

	hex[0] = 0;
	if (!EVP_Digest(data, size, digest, &length, EVP_sha256(), NULL) ||
	    length != (CODEOBJ_SHA256_SIZE - 1) / 2)
		return -EIO;
	for (unsigned i = 0; i < length; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	return 0;
}
