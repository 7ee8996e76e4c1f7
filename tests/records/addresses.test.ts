import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { pointersOf, recordsOf } from '../harness/records.ts'

const app = await startApp()
const records = recordsOf(app)

const items = (...all: readonly string[]): Json => ({ items: all })

/** Characters around pasted texts: a byte order mark, direction marks, zero width, a soft hyphen, a variation. */
const around = ['\ufeff', '\u202a', '\u200e', '\u200b', '\u2060', '\u00ad', '\u00a0', '\u0007', '\u{e0001}', '\n']

test('what is invisible around an address or a domain is taken off, and no second person comes of it', async () => {
  const { id } = await records.create('person', { email_addresses: items('ends@example.com') })
  for (const sign of around) {
    const { status, body } = await records.post(
      'person',
      { email_addresses: items(`${sign}Ends@Example.com${sign}`) },
      { match_on: 'email_addresses' },
    )
    expect([status, body.data?.id], JSON.stringify(sign)).toEqual([200, id])
    expect(body.data.attributes.email_addresses).toEqual(items('ends@example.com'))
    const found = await records.list('person', { 'filter[email_addresses]': `${sign}ends@example.com${sign}` })
    expect(found.body.data, JSON.stringify(sign)).toHaveLength(1)
  }
  const company = await records.create('company', { domains: items(' \u200bExample.com.\ufeff', 'bücher.example') })
  expect(company.attributes.domains).toEqual(items('example.com', 'xn--bcher-kva.example'))
})

const hidden = around.filter((sign) => sign !== '\n').concat('\ufe0f', '\u034f', '\u3164', ' ')

test('inside they are refused', async () => {
  const addresses = hidden.flatMap((sign) => [
    `bo${sign}b@example.com`,
    `bob@exam${sign}ple.com`,
    `bob${sign}@example.com`,
  ])
  const { status, ...answer } = await records.post('person', { email_addresses: items(...addresses) })
  expect(status).toBe(422)
  expect(pointersOf({ status, ...answer })).toEqual(
    addresses.map((_, index) => `/data/attributes/email_addresses/items/${index}`),
  )
  const domains = hidden.map((sign) => `exam${sign}ple.org`)
  const refused = await records.post('company', { domains: items(...domains) })
  expect(pointersOf(refused)).toEqual(domains.map((_, index) => `/data/attributes/domains/items/${index}`))
})

const behind = ['?subject=x', '/x', '#x', '\\x', ':80', '%61', '%00', '&x', ';x', '!', '|x', '^', '`', '"', '>']

test('anything behind a host is refused, and nothing is decoded', async () => {
  const hosts = [...behind.map((rest) => `example.com${rest}`), 'ex%61mple.com', 'http://example.com', 'a@example.com']
  const refused = await records.post('company', { domains: items(...hosts) })
  expect(pointersOf(refused)).toEqual(hosts.map((_, index) => `/data/attributes/domains/items/${index}`))
  const addresses = hosts.map((host) => `bob@${host}`).filter((address) => !address.endsWith('a@example.com'))
  const answer = await records.post('person', { email_addresses: items(...addresses) })
  expect(pointersOf(answer)).toEqual(addresses.map((_, index) => `/data/attributes/email_addresses/items/${index}`))
  const meeting = await records.post('meeting', {
    title: 'Call',
    participants: { items: [{ email: 'bob@example.com?subject=x', name: 'Bob' }, 'b\u200bob@example.com'] },
  })
  expect(pointersOf(meeting)).toEqual([
    '/data/attributes/participants/items/0/email',
    '/data/attributes/participants/items/1',
  ])
})

test('so are they where a format asks for an address or a host', async () => {
  const made = await app.api.post('/workspaces/acme/schemas/company/properties', {
    as: 'admin',
    body: {
      data: {
        type: 'schema-properties',
        attributes: {
          billing: { type: 'string', format: 'email' },
          host: { type: 'string', format: 'hostname' },
        },
      },
    },
  })
  expect(made.status, JSON.stringify(made.body)).toBe(202)
  await app.idle()
  for (const rest of [...behind, '\u200bx'])
    expect(
      pointersOf(await records.post('company', { billing: `bob@example.com${rest}`, host: `example.com${rest}` })),
      rest,
    ).toEqual(['/data/attributes/billing', '/data/attributes/host'])
  const { attributes } = await records.create('company', { billing: '\ufeffbob@example.com ', host: ' example.com' })
  expect([attributes.billing, attributes.host]).toEqual(['bob@example.com', 'example.com'])
})

test('an invitation goes to the address that is seen', async () => {
  const path = '/workspaces/acme/invitations'
  const { status, body } = await app.api.post(path, {
    as: 'admin',
    body: { email: '\u200b invited@example.com\u202c' },
  })
  expect([status, body.data?.attributes?.email ?? body.data?.email]).toEqual([201, 'invited@example.com'])
  for (const email of ['in\u200bvited@example.com', 'invited@example.com?x', 'invited@ex%61mple.com'])
    expect((await app.api.post(path, { as: 'admin', body: { email } })).status, email).toBe(422)
  const suppressed = await app.api.post('/workspaces/acme/suppressions', {
    as: 'admin',
    body: { address: 'bob@example.com/x' },
  })
  expect(suppressed.status).toBe(422)
})
