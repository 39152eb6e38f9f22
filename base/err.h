/* SPDX-License-Identifier: MIT
 *
 * Error numbers: Linux's values on every platform, as negative return codes.
 *
 * This list is the only place that knows a number, its name and its text. The
 * host's <errno.h> is never used inside the library (its values differ in wasm).
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#define ERR_LIST(ERR)                                                                              \
	ERR(PERM, 1, "Operation not permitted")                                                    \
	ERR(NOENT, 2, "No such file or directory")                                                 \
	ERR(SRCH, 3, "No such process")                                                            \
	ERR(INTR, 4, "Interrupted system call")                                                    \
	ERR(IO, 5, "Input/output error")                                                           \
	ERR(NXIO, 6, "No such device or address")                                                  \
	ERR(2BIG, 7, "Argument list too long")                                                     \
	ERR(NOEXEC, 8, "Exec format error")                                                        \
	ERR(BADF, 9, "Bad file descriptor")                                                        \
	ERR(CHILD, 10, "No child processes")                                                       \
	ERR(AGAIN, 11, "Resource temporarily unavailable")                                         \
	ERR(NOMEM, 12, "Cannot allocate memory")                                                   \
	ERR(ACCES, 13, "Permission denied")                                                        \
	ERR(FAULT, 14, "Bad address")                                                              \
	ERR(BUSY, 16, "Device or resource busy")                                                   \
	ERR(EXIST, 17, "File exists")                                                              \
	ERR(XDEV, 18, "Invalid cross-device link")                                                 \
	ERR(NODEV, 19, "No such device")                                                           \
	ERR(NOTDIR, 20, "Not a directory")                                                         \
	ERR(ISDIR, 21, "Is a directory")                                                           \
	ERR(INVAL, 22, "Invalid argument")                                                         \
	ERR(NFILE, 23, "Too many open files in system")                                            \
	ERR(MFILE, 24, "Too many open files")                                                      \
	ERR(NOTTY, 25, "Inappropriate ioctl for device")                                           \
	ERR(TXTBSY, 26, "Text file busy")                                                          \
	ERR(FBIG, 27, "File too large")                                                            \
	ERR(NOSPC, 28, "No space left on device")                                                  \
	ERR(SPIPE, 29, "Illegal seek")                                                             \
	ERR(ROFS, 30, "Read-only file system")                                                     \
	ERR(MLINK, 31, "Too many links")                                                           \
	ERR(PIPE, 32, "Broken pipe")                                                               \
	ERR(DOM, 33, "Numerical argument out of domain")                                           \
	ERR(RANGE, 34, "Numerical result out of range")                                            \
	ERR(DEADLK, 35, "Resource deadlock avoided")                                               \
	ERR(NAMETOOLONG, 36, "File name too long")                                                 \
	ERR(NOLCK, 37, "No locks available")                                                       \
	ERR(NOSYS, 38, "Function not implemented")                                                 \
	ERR(NOTEMPTY, 39, "Directory not empty")                                                   \
	ERR(LOOP, 40, "Too many levels of symbolic links")                                         \
	ERR(NOMSG, 42, "No message of desired type")                                               \
	ERR(IDRM, 43, "Identifier removed")                                                        \
	ERR(NODATA, 61, "No data available")                                                       \
	ERR(PROTO, 71, "Protocol error")                                                           \
	ERR(OVERFLOW, 75, "Value too large for defined data type")                                 \
	ERR(ILSEQ, 84, "Invalid or incomplete multibyte or wide character")                        \
	ERR(MSGSIZE, 90, "Message too long")                                                       \
	ERR(NOBUFS, 105, "No buffer space available")                                              \
	ERR(DESTADDRREQ, 89, "Destination address required")                                       \
	ERR(PROTOTYPE, 91, "Protocol wrong type for socket")                                       \
	ERR(NOTSOCK, 88, "Socket operation on non-socket")                                         \
	ERR(PROTONOSUPPORT, 93, "Protocol not supported")                                          \
	ERR(AFNOSUPPORT, 97, "Address family not supported by protocol")                           \
	ERR(ADDRINUSE, 98, "Address already in use")                                               \
	ERR(ADDRNOTAVAIL, 99, "Cannot assign requested address")                                   \
	ERR(NETUNREACH, 101, "Network is unreachable")                                             \
	ERR(CONNRESET, 104, "Connection reset by peer")                                            \
	ERR(ISCONN, 106, "Transport endpoint is already connected")                                \
	ERR(NOTCONN, 107, "Transport endpoint is not connected")                                   \
	ERR(TOOMANYREFS, 109, "Too many references: cannot splice")                                \
	ERR(CONNREFUSED, 111, "Connection refused")                                                \
	ERR(HOSTUNREACH, 113, "No route to host")                                                  \
	ERR(OPNOTSUPP, 95, "Operation not supported")                                              \
	ERR(TIMEDOUT, 110, "Connection timed out")                                                 \
	ERR(DQUOT, 122, "Disk quota exceeded")                                                     \
	ERR(CANCELED, 125, "Operation canceled")

enum {
#define ERR(name, number, text) E_##name = number,
	ERR_LIST(ERR)
#undef ERR
};

/* The text of an error, given as its number or as the negative return code. Static, never NULL. */
const char *err_text(int err);

/* The symbolic name, such as "ENOENT"; "E?" for a number that is not in the list. */
const char *err_name(int err);

#endif
