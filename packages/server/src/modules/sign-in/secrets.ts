import { hash } from 'node:crypto'

/** Bytes of chance in what a cookie or a link holds. */
export const tokenBytes = 32

/** Only this of a token is stored. It has 256 bits of chance, so one round of SHA-256 is enough. */
export const hashToken = (token: string): string => hash('sha256', token, 'base64url')
