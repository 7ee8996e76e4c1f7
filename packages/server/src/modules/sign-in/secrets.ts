/** Bytes of chance in what a cookie or a link holds. */
export const tokenBytes = 32
