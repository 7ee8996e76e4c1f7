import { expect, test } from 'vitest'
import { KeyRing } from '../../../lib/key-ring.ts'
import { ReplyAddresses } from './reply-addresses.ts'

const id = '01890000-0000-7000-8000-0000000000ff'
const addresses = new ReplyAddresses(new KeyRing(['a'.repeat(32)]), 'Replies@In.Example')
const address = addresses.of(id) ?? ''

const [ada, grace] = ['ada@example.com', 'grace@example.com']

/** The letter that an address names, and whose copy it is. */
function read(text: string, by = addresses, recipients = [ada, grace]) {
  const named = by.read(text)
  return named && [named.emailId, named.copyAmong(recipients)]
}

test('an address says which letter it answers, in whatever case, and wherever it was led to', () => {
  expect(address).toMatch(/^replies\+[a-z2-7]{52}@in\.example$/)
  expect(address.indexOf('@')).toBeLessThanOrEqual(64)
  expect(read(address)).toEqual([id, { recipient: undefined }])
  expect(read(address.toUpperCase().replace('IN.EXAMPLE', 'other.example'))).toEqual([id, { recipient: undefined }])
})

test('the address of a copy says whose it is, and is as short', () => {
  const copy = addresses.of(id, grace) ?? ''
  expect(copy).toHaveLength(address.length)
  expect(read(copy.toUpperCase())).toEqual([id, { recipient: grace }])
  expect(read(copy, addresses, [ada])).toEqual([id, undefined])
  expect(new Set([copy, address, addresses.of(id, ada)]).size).toBe(3)
})

test('takes no address that was changed, or that another server made', () => {
  const changed = address.replace(/\+./, (start) => (start === '+a' ? '+b' : '+a'))
  expect(read(changed)).toEqual([id, undefined])
  expect(read(address, new ReplyAddresses(new KeyRing(['b'.repeat(32)]), undefined))).toEqual([id, undefined])
  for (const other of ['', 'a@b', 'a+b@c', `a+${'a'.repeat(52)}@c`, `a+${'7'.repeat(52)}@c`])
    expect(read(other)?.[1]).toBeUndefined()
})

test('there is none where none is configured', () => {
  expect(new ReplyAddresses(new KeyRing(['a'.repeat(32)]), undefined).of(id)).toBeUndefined()
})
