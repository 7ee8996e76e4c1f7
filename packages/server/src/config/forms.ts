import { isIP } from 'node:net'
import { z } from 'zod'
import { isAllowedTarget } from '../lib/outbound/addresses.ts'

type Faults = { readonly tooSmall?: string; readonly tooLarge?: string }

/** A whole number between two bounds. */
export function bounded(min: number, max?: number, { tooSmall, tooLarge }: Faults = {}) {
  const number = z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(min, tooSmall ?? `must be at least ${min}`)
  return max === undefined ? number : number.max(max, tooLarge ?? `must be at most ${max}`)
}

/** A number of something in a time; 0 switches it off. */
export const rate = bounded(0)

/** A port to listen on. */
export const portSchema = bounded(0, 65_535)

/** The address of a service. */
export const urlSchema = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' })

/** A setting that is on or off. */
export const flagSchema = z.enum(['0', '1'])

export const withoutSlash = (url: string | undefined): string | undefined => url?.replace(/\/+$/, '')

const isOrigin = (text: string): boolean => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text

/** Splits a list whose items are separated by commas; none where there is no list. */
export const splitList = (text: string | undefined): readonly string[] =>
  text === undefined ? [] : text.split(',').map((item) => item.trim())

const networkNames = ['loopback', 'linklocal', 'uniquelocal']

/** In the form of Express' `trust proxy`. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  return (
    networkNames.includes(text) ||
    (family !== 0 &&
      more.length === 0 &&
      (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))))
  )
}

const isOriginOrAny = (origin: string): boolean => origin === '*' || isOrigin(origin)

/** A list whose items are separated by commas; its `fault` says what they must be. */
const listSchema = (isItem: (item: string) => boolean, fault: string) =>
  z
    .string()
    .refine((text) => splitList(text).every(isItem), fault)
    .optional()

/** Origins of pages, or `*` for any. */
export const originsSchema = listSchema(
  isOriginOrAny,
  'must be *, or origins such as https://app.example.com, separated by commas',
)

/** Proxies. */
export const networksSchema = listSchema(
  isNetwork,
  'must be addresses, networks such as 10.0.0.0/8, or loopback, linklocal, uniquelocal, separated by commas',
)

/** Targets of calls that are not public. */
export const targetsSchema = listSchema(
  isAllowedTarget,
  'must be hosts, host:port or networks such as 10.0.0.0/8, separated by commas',
)

/** Keys that secrets are encrypted with. */
export const keysSchema = listSchema(
  (key) => key.length >= 32,
  'must be keys of at least 32 characters, separated by commas',
)
