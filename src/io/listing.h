/* listing.h - the names in a folder, all of them or an error.
 *
 * readdir returns NULL both at the end and on an error, so a loop over it alone takes a broken disk
 * for a short folder. Every folder of the library is listed here.
 */
#ifndef SCONE_IO_LISTING_H
#define SCONE_IO_LISTING_H

#include "base/status.h"

typedef struct listing {
    char **names; /* in byte order, without "." and ".." */
    size_t count, capacity;
} listing;

/* Fails with SCONE_ERR_IO if the folder cannot be listed to its end. With `missing`, a folder that
 * is not there is no failure: *missing says so and the list is empty. O(names log names). */
scone_status listing_read(listing *list, const char *folder, bool *missing);
void listing_free(listing *list);

#endif
