import { isIP } from 'node:net'
import { z } from 'zod'

/** A number of something in a time; 0 switches it off. */
export const minutes = z.coerce.number('must be a number').int('must be a whole number').min(0, 'must be at least 0')

/** A port to listen on. */
export const portSchema = z.coerce
  .number('must be a number')
  .int('must be a whole number')
  .min(0, 'must be at least 0')
  .max(65_535, 'must be at most 65535')

const isOrigin = (text: string): boolean => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text

/** Splits a list whose items are separated by commas. */
export const splitList = (text: string): string[] => text.split(',').map((item) => item.trim())

const networkNames = ['loopback', 'linklocal', 'uniquelocal']

/** In the form of Express' `trust proxy`. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  return (
    networkNames.includes(text) ||
    (family !== 0 &&
      more.length === 0 &&
      (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))))
  )
}

/** Origins of pages, or `*` for any. */
export const originsSchema = z
  .string()
  .refine(
    (text) => splitList(text).every((origin) => origin === '*' || isOrigin(origin)),
    'must be *, or origins such as https://app.example.com, separated by commas',
  )
