/** Tells whether a later try of a request may be answered otherwise than with this status. */
export const isRetryableStatus = (status: number): boolean => [408, 425, 429].includes(status) || status >= 500
