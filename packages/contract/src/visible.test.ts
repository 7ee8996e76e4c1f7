import { expect, test } from 'vitest'
import { hasInvisible, isBlank, trimInvisible, visiblePart } from './visible.ts'

test('what nobody sees is taken off the ends of a text, and nothing inside', () => {
  expect(
    trimInvisible(
      ' \t\r\n\u00a0\u3000\u200b\u200e\u202e\u2066\u00ad\ufeff\u0000\u0085a \u200b b\u2800\u3164\u{e0001} ',
    ),
  ).toBe('a \u200b b')
  expect(trimInvisible(`${' '.repeat(200_000)}a${' '.repeat(200_000)}b`)).toHaveLength(200_002)
  expect(trimInvisible('\u200b \u{e0001}')).toBe('')
  expect(trimInvisible('')).toBe('')
})

test('what belongs to the last character stays with it, but is no part of what is compared', () => {
  for (const text of [
    '❤\ufe0f',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    '葛\u{e0100}',
    '👨‍👩‍👧',
    '1\ufe0f\u20e3',
  ]) {
    expect(trimInvisible(` ${text}\u200b\n`)).toBe(text)
    expect(trimInvisible(trimInvisible(text))).toBe(text)
  }
  expect(trimInvisible('Renewal\ufe0f')).toBe('Renewal')
  expect(visiblePart(' ❤\ufe0f ')).toBe('❤')
})

test('a text is blank if there is nothing to see in it', () => {
  for (const text of ['', ' ', '\u200b', '\u2060\ufe0f\u00ad', '\u{e0020}', '\u2800']) expect(isBlank(text)).toBe(true)
  for (const text of ['a', '\u200b.\u200b', '🦊', '\u0301']) expect(isBlank(text)).toBe(false)
})

test('what is hidden in a text is found, wherever it stands', () => {
  for (const text of ['a\u200bb', '\u202ea', 'a ', 'a\u00adb', 'a\ufe0f', 'a\u0007b'])
    expect(hasInvisible(text)).toBe(true)
  for (const text of ['', 'a', 'é', '🦊']) expect(hasInvisible(text)).toBe(false)
})
