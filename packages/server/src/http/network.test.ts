import { expect, test } from 'vitest'
import { addressBlock } from './network.ts'

test.for([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::7', '2001:db8::/64'],
  ['::1', '::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['', ''],
  ['unknown', 'unknown'],
])('%s counts as %s', ([address, block]) => {
  expect(addressBlock(address as string)).toBe(block)
})
