import { isIPv4, isIPv6 } from 'node:net'
import { hasInvisible, type Format } from '@kontor/contract'
import { normaliseDomain, normaliseEmail } from './contact-points.ts'
import { parseDate, parseTimestamp } from './dates.ts'

type Rule = { readonly holds: (text: string) => boolean; readonly what: string }

/** RFC 3339: hours to seconds, with a zone. */
const timeShape = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/
const uuidShape = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The rules of JSON Schema 2020-12 (validation, §7.3): the check of each `format`, and its error text. */
export const formatRules: Readonly<Record<Format, Rule>> = {
  date: { holds: (text) => parseDate(text) !== undefined, what: 'a date as YYYY-MM-DD' },
  'date-time': { holds: (text) => parseTimestamp(text) !== undefined, what: 'an ISO 8601 timestamp with a zone' },
  time: { holds: (text) => timeShape.test(text), what: 'a time with a zone, for example 09:30:00Z' },
  email: { holds: (text) => !hasInvisible(text) && normaliseEmail(text) !== undefined, what: 'an e-mail address' },
  hostname: {
    holds: (text) => !hasInvisible(text) && normaliseDomain(text) !== undefined,
    what: 'a host name such as example.com',
  },
  ipv4: { holds: isIPv4, what: 'an IPv4 address' },
  ipv6: { holds: isIPv6, what: 'an IPv6 address' },
  uri: {
    holds: (text) => /^[a-z][a-z0-9+.-]*:\S/i.test(text) && URL.canParse(text),
    what: 'a URI such as https://example.com',
  },
  uuid: { holds: (text) => uuidShape.test(text), what: 'a UUID' },
}
