import { domainToASCII } from 'node:url'
import { isSupportedCountry, type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { hasInvisible, trimInvisible } from '@kontor/contract/values'
import { phoneDigits, phoneForm, phonePart, phoneWhole } from '../../db/fold.ts'
import type { FieldType } from './field-type.ts'
import { collectionType } from './items.ts'

const hostShape = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+([a-z]{2,63}|xn--[a-z0-9-]{1,59})$/
/** RFC 5321 dot-atoms, with letters beyond ASCII (RFC 6531), but no quoted local parts. */
const localShape = /^(?=.{1,64}$)[^\s"(),:;<>@[\\\]]+$/u

/**
 * The characters of a domain, with international letters. The conversion to ASCII accepts what ends the host of a URL,
 * and cuts it off, decodes it, or leaves out what is invisible.
 */
const domainShape = /^[\p{L}\p{M}\p{N}.。．｡·・\u30fc_-]+$/u

/** Normalises a domain: lower case, internationalised names as punycode; undefined for a text that is no domain. */
export function normaliseDomain(given: string): string | undefined {
  const text = trimInvisible(given)
  if (!domainShape.test(text) || hasInvisible(text)) return undefined
  const ascii = domainToASCII(text.toLowerCase().replace(/[.。．｡]$/, ''))
  return hostShape.test(ascii) ? ascii : undefined
}

/** Normalises an e-mail address; undefined for a text that is none, or that hides something inside. */
export function normaliseEmail(given: string): string | undefined {
  const text = trimInvisible(given)
  if (hasInvisible(text)) return undefined
  const at = text.lastIndexOf('@')
  const local = text.slice(0, at).toLowerCase()
  const host = at < 1 ? undefined : normaliseDomain(text.slice(at + 1))
  const dotted = !local.startsWith('.') && !local.endsWith('.') && !local.includes('..')
  return host !== undefined && dotted && localShape.test(local) ? `${local}@${host}` : undefined
}

/** Returns whether a text is the code of a country whose phone numbers are known. */
export const isCountry = (text: string): text is CountryCode => isSupportedCountry(text)

/** Characters of the longest phone number, with its extension; what is longer is a text that takes milliseconds. */
const phoneCharactersMax = 60

/**
 * Normalises a text that is a phone number with a country code as a whole, to E.164 and the extension as in RFC 3966;
 * any other text stays as it is. So does a number with the code of a carrier, which E.164 has no place for. A number
 * that names no country is one of the given country.
 */
export const normalisePhone = (text: string, country?: string): string => {
  const written = text
    .replace(/^tel:/i, '')
    .replaceAll('＋', '+')
    .replaceAll(/\p{Cf}/gu, '')
  if (written.length > phoneCharactersMax) return text
  const defaultCountry = country !== undefined && isCountry(country) ? country : undefined
  const number = parsePhoneNumberFromString(written, { extract: false, ...(defaultCountry && { defaultCountry }) })
  if (number === undefined || !number.isPossible() || number.carrierCode !== undefined) return text
  return number.ext === undefined ? number.number : `${number.number};ext=${number.ext}`
}

/** Normalises a part of an address: the host after an @ as in stored addresses, if it is complete. */
export function partOfEmail(text: string): string {
  const at = text.lastIndexOf('@')
  const host = at === -1 ? undefined : normaliseDomain(text.slice(at + 1))
  return host === undefined ? text : `${text.slice(0, at)}@${host}`
}

export const emailAddresses = collectionType('email_addresses', 'an e-mail address', normaliseEmail, partOfEmail)
export const domains = collectionType('domains', 'a domain name such as example.com', normaliseDomain)
export const phoneNumbers: FieldType = {
  ...collectionType('phone_numbers', 'a phone number', normalisePhone),
  itemForm: phoneForm,
  itemKey: (item, country) => {
    const number = normalisePhone(String(item), country)
    return phoneDigits(number) ?? number
  },
  uniqueForm: (item) =>
    phoneDigits(item)
      ?.replace(/^00(?=[1-9])/, '+')
      .replace('X', ';ext='),
  parseOperand: (value) => phoneWhole(normalisePhone(trimInvisible(String(value)))),
  parsePart: (value) => phonePart(normalisePhone(trimInvisible(String(value)))),
}
export const labels = collectionType('labels', 'a text', (text) => text)
