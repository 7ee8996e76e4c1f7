import { domainToASCII } from 'node:url'
import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { collectionType } from './items.ts'

const hostShape = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+([a-z]{2,63}|xn--[a-z0-9-]{1,59})$/
/** RFC 5321 dot-atoms, with letters beyond ASCII (RFC 6531), but no quoted local parts and no control characters. */
const localShape = /^(?=.{1,64}$)[^\s\p{Cc}"(),:;<>@[\\\]]+$/u

/** Normalises a domain: lower case, internationalised names as punycode; undefined for a text that is no domain. */
export function normaliseDomain(text: string): string | undefined {
  const ascii = domainToASCII(text.toLowerCase().replace(/\.$/, ''))
  return hostShape.test(ascii) ? ascii : undefined
}

export function normaliseEmail(text: string): string | undefined {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at).toLowerCase()
  const host = at < 1 ? undefined : normaliseDomain(text.slice(at + 1))
  const dotted = !local.startsWith('.') && !local.endsWith('.') && !local.includes('..')
  return host !== undefined && dotted && localShape.test(local) ? `${local}@${host}` : undefined
}

/** Normalises a phone number: E.164 if it has a country code; otherwise as given. */
export const normalisePhone = (text: string): string => {
  const number = parsePhoneNumberFromString(text)
  return number?.isPossible() === true ? number.number : text
}

/** Normalises a part of an address: the host after an @ as in stored addresses, if it is complete. */
export function partOfEmail(text: string): string {
  const at = text.lastIndexOf('@')
  const host = at === -1 ? undefined : normaliseDomain(text.slice(at + 1).trim())
  return host === undefined ? text : `${text.slice(0, at)}@${host}`
}

export const emailAddresses = collectionType('email_addresses', 'an e-mail address', normaliseEmail, partOfEmail)
export const domains = collectionType('domains', 'a domain name such as example.com', normaliseDomain)
export const phoneNumbers = collectionType('phone_numbers', 'a phone number', normalisePhone)
export const labels = collectionType('labels', 'a text', (text) => text)
