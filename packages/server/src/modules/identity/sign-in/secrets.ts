/** Random bytes in the secret of a cookie or a link. */
export const tokenBytes = 32
