import { expect, test } from 'vitest'
import { DatabaseCrowded } from '../../db/errors.ts'
import { CallShares } from './call-shares.ts'

test('a workspace has no more calls at work than its share, and another has its own', async () => {
  const shares = new CallShares(2)
  const end = Promise.withResolvers<string>()
  const atWork = [shares.run('one', () => end.promise), shares.run('one', () => end.promise)]
  await expect(shares.run('one', async () => 'third')).rejects.toThrow(DatabaseCrowded)
  expect(await shares.run('other', async () => 'first')).toBe('first')
  end.resolve('ended')
  expect(await Promise.all(atWork)).toEqual(['ended', 'ended'])
  expect(await shares.run('one', async () => 'next')).toBe('next')
})

test('one that fails has ended', async () => {
  const shares = new CallShares(1)
  for (let turn = 0; turn < 3; turn++)
    await expect(shares.run('one', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})
