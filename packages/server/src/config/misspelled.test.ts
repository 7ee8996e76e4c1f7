import { expect, test } from 'vitest'
import { misspelledSettings } from './misspelled.ts'

const known = ['PORT', 'HOST', 'BASE_URL', 'DATA_DIR', 'CORS_ORIGINS', 'KONTOR_DEMO']

test.each([
  ['CORS_ORIGIN', 'CORS_ORIGINS'],
  ['KONTOR_DEMOO', 'KONTOR_DEMO'],
  ['BASEURL', 'BASE_URL'],
  ['PORTS', 'PORT'],
  ['KONTOR_SOMETHING', undefined],
])('%s is told, with %s', (name, meant) => {
  expect(misspelledSettings({ [name]: '1' }, known)).toEqual([{ name, meant }])
})

test.each(['PATH', 'PWD', 'HOME', 'HOSTNAME', 'PORT', 'port', 'XDG_DATA_DIRS', 'TERM'])('%s is left alone', (name) => {
  expect(misspelledSettings({ [name]: '1' }, known)).toEqual([])
})

test('an empty variable counts as absent', () => {
  expect(misspelledSettings({ CORS_ORIGIN: '' }, known)).toEqual([])
})
