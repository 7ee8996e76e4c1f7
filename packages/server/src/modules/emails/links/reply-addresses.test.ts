import { expect, test } from 'vitest'
import { KeyRing } from '../../../lib/key-ring.ts'
import { ReplyAddresses } from './reply-addresses.ts'

const id = '01890000-0000-7000-8000-0000000000ff'
const addresses = new ReplyAddresses(new KeyRing(['a'.repeat(32)]), 'Replies@In.Example')
const address = addresses.of(id) ?? ''

test('an address says which letter it answers, in whatever case, and wherever it was led to', () => {
  expect(address).toMatch(/^replies\+[a-z2-7]{52}@in\.example$/)
  expect(address.indexOf('@')).toBeLessThanOrEqual(64)
  expect(addresses.read(address)).toBe(id)
  expect(addresses.read(address.toUpperCase().replace('IN.EXAMPLE', 'other.example'))).toBe(id)
})

test('takes no address that was changed, or that another server made', () => {
  expect(addresses.read(address.replace(/\+./, (start) => (start === '+a' ? '+b' : '+a')))).toBeUndefined()
  expect(new ReplyAddresses(new KeyRing(['b'.repeat(32)]), undefined).read(address)).toBeUndefined()
  for (const other of ['', 'a@b', 'a+b@c', `a+${'a'.repeat(52)}@c`, `a+${'7'.repeat(52)}@c`])
    expect(addresses.read(other)).toBeUndefined()
})

test('there is none where none is configured', () => {
  expect(new ReplyAddresses(new KeyRing(['a'.repeat(32)]), undefined).of(id)).toBeUndefined()
})
