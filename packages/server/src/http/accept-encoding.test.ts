import { expect, test } from 'vitest'
import { compressedBytesMin, encodingFor } from './accept-encoding.ts'

const long = compressedBytesMin
const short = compressedBytesMin - 1

test.for([
  ['gzip, deflate, br, zstd', long, 'br'],
  ['gzip, deflate', long, 'gzip'],
  ['x-gzip', long, 'gzip'],
  ['GZIP', long, 'gzip'],
  ['br;q=0.5, gzip;q=0.8', long, 'gzip'],
  ['br ; q=0.9 , gzip ; q=0.1', long, 'br'],
  ['br;q=0, *', long, 'gzip'],
  ['*', long, 'br'],
  ['*', short, undefined],
  ['*;q=0', long, undefined],
  ['gzip, *;q=0', short, 'gzip'],
  ['br;q=0, gzip;q=0', long, undefined],
  ['gzip;q=0.5, identity;q=1', long, undefined],
  ['gzip;q=0.5, identity;q=0.5', long, 'gzip'],
  ['identity;q=0, gzip', short, 'gzip'],
  ['identity;q=0', short, undefined],
  ['identity', long, undefined],
  ['br, gzip', short, undefined],
  ['', long, undefined],
  ['deflate, zstd', long, undefined],
  ['br;q=2, gzip;q=x', long, undefined],
  [',;,br', long, 'br'],
] as const)('%s of %d bytes: %s', ([accepted, bytes, encoding]) => {
  expect(encodingFor({ headers: { 'accept-encoding': accepted } }, bytes)).toBe(encoding)
})

test('a caller that does not say, or wants it as it is, gets it as it is', () => {
  expect(encodingFor({ headers: {} }, long)).toBeUndefined()
  expect(
    encodingFor({ headers: { 'accept-encoding': 'br', 'cache-control': 'max-age=0, no-transform' } }, long),
  ).toBeUndefined()
})
