import { expect, test } from 'vitest'
import { isProgram } from './programs.ts'

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

test.each([
  ['Mozilla/5.0'],
  ['Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'],
  ['YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html'],
  ['Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'],
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
  ['facebookexternalhit/1.1'],
  ['Mozilla/5.0 (Windows NT 10.0) SkypeUriPreview Preview/0.5'],
])('%s is a program', (agent) => {
  expect(isProgram({ method: 'GET', headers: { 'user-agent': agent } })).toBe(true)
})

test.each([
  [firefox],
  ['Mozilla/5.0 (Linux; Android 13; CUBOT P80) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)'],
  [''],
])('%j is a reader', (agent) => {
  expect(isProgram({ method: 'GET', headers: { 'user-agent': agent } })).toBe(false)
})

test('who asks for the head alone, or in advance, does not read', () => {
  expect(isProgram({ method: 'HEAD', headers: { 'user-agent': firefox } })).toBe(true)
  for (const purpose of [{ 'sec-purpose': 'prefetch;prerender' }, { purpose: 'prefetch' }, { 'x-moz': 'prefetch' }])
    expect(isProgram({ method: 'GET', headers: { 'user-agent': firefox, ...purpose } })).toBe(true)
})
