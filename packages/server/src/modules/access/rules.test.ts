import { accessDefaults, accessLevels } from '@kontor/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Actor } from '../../kernel/actor.ts'
import { principalOf, atLeast, hidden, levelOf, levelOnRecord, rankOf, type Level } from './rules.ts'

const levels: readonly Level[] = ['none', ...accessLevels]
const roles = ['viewer', 'member', 'admin'] as const
const level = fc.constantFrom(...levels)

const case_ = fc.record({
  role: fc.constantFrom(...roles),
  userId: fc.constantFrom('me', null),
  objectDefault: fc.constantFrom(...accessDefaults),
  owner_id: fc.constantFrom('me', 'other', null),
  visibility: fc.constantFrom(hidden, ...levels.map(rankOf)),
  granted: level,
})
type Case = typeof case_ extends fc.Arbitrary<infer T> ? T : never

const actorOf = (userId: string | null): Actor =>
  userId === null
    ? { kind: 'workspace-key', keyId: 'key', workspaceId: '', scopes: [] }
    : { kind: 'user', userId, scopes: [] }

const levelIn = ({ role, userId, objectDefault, owner_id, visibility, granted }: Case): Level =>
  levelOnRecord(
    principalOf(
      { actor: actorOf(userId), workspace: { workspaceId: '', slug: '', role, schemaEpoch: 1 } },
      { title: 'task', xSvcAccess: { default: objectDefault } },
      'read',
    ),
    { owner_id, visibility },
    granted,
  )

const higher = <T>(all: readonly T[], one: T): T => all[Math.min(all.indexOf(one) + 1, all.length - 1)] as T

test('a level is stored as its place, and comes back', () => {
  for (const one of levels) expect(levelOf(rankOf(one))).toBe(one)
})

test('more of anything never gives less', () => {
  fc.assert(
    fc.property(case_, (one) => {
      const more: readonly Case[] = [
        { ...one, role: higher(roles, one.role) },
        { ...one, objectDefault: higher(accessDefaults, one.objectDefault) },
        { ...one, visibility: Math.min(one.visibility + 1, levels.length - 1) },
        { ...one, granted: higher(levels, one.granted) },
        { ...one, owner_id: one.userId ?? one.owner_id },
      ]
      for (const each of more) expect(atLeast(levelIn(each), levelIn(one)), JSON.stringify(each)).toBe(true)
    }),
  )
})

test('admins manage, viewers view at most, and no member gets more than the highest of what is given', () => {
  fc.assert(
    fc.property(case_, (one) => {
      const given: Level[] = [
        one.visibility === hidden ? 'none' : one.objectDefault,
        levelOf(one.visibility),
        one.granted,
        one.userId !== null && one.owner_id === one.userId ? 'manage' : 'none',
      ]
      const highest = levels.findLast((each) => given.includes(each)) ?? 'none'
      expect(levelIn(one)).toBe(
        one.role === 'admin' ? 'manage' : one.role === 'viewer' && highest !== 'none' ? 'view' : highest,
      )
    }),
  )
})
