import { expect, test } from 'vitest'
import { plainHeader } from './plain-header.ts'

const decoded = (header: string): string =>
  header.replaceAll(/=\?UTF-8\?B\?([^?]*)\?= ?/g, (_, word: string) => Buffer.from(word, 'base64').toString())

test.each(['Offer', 'Grüße', '', 'a = b?'])('leaves %j to the library', (text) => {
  expect(plainHeader(text)).toBe(text)
})

test.each(['=?utf-8?Q?evil=21?=', 'Dear =?utf-8?B?', `=?${'Grüße 🦊 '.repeat(100)}`])(
  'encodes %j, so that nobody decodes it twice',
  (text) => {
    const header = plainHeader(text)
    expect(decoded(header)).toBe(text)
    for (const word of header.split(' ')) expect(word.length).toBeLessThanOrEqual(75)
  },
)
