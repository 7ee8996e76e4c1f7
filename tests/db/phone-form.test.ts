import { expect, inject, test } from 'vitest'
import { phoneForm } from '../../packages/server/src/db/fold.ts'
import { freshDatabase } from './fresh.ts'

const texts = [
  '',
  '+442079460958',
  '+12125550100;ext=5',
  '+44 20 7946 0958 (not working)',
  '+44 (0)20 7946 0958 [0] old',
  '0044 20 7946 0958, 0044 20 7946 0959',
  '(020) 7946-0958',
  "+33 1'23’45·67•89",
  'tel:+1-212-555-0100',
  '555-0100 ext. 5 x 7 # 9 ~ 1, 2; 3',
  '٠٢٠ ۷۹۴۶ ０９５８',
  '\u202a+44\u00a020\u200b7946\u2011\u20130958\u202c\n2\t3',
  'Ask JOE\nor +',
  '+7 495 123 45 67',
  '+36 1 234 5678',
  ...['1', '20', '211', '30', '35', '39', '420', '5', '599', '670', '7', '800', '881', '888', '90', '979', '998'].map(
    (code) => `+${code}123456`,
  ),
]

test('phone numbers are compared in one form, whichever database makes it', async () => {
  const database = await freshDatabase()
  const items = {
    sqlite: 'select kontor_phone(value) as form from json_each(?)',
    postgres: 'select kontor_phone(value) as form from unnest(?::text[]) as value',
  }[inject('database')]
  const given = inject('database') === 'sqlite' ? JSON.stringify(texts) : texts
  const rows = await database.reader.query<{ form: string }>(({ knex }) => knex.raw(items, [given as string]))
  expect(rows.map(({ form }) => form)).toEqual(texts.map(phoneForm))
})

test('the form has each usual spelling of a number, with its extension', () => {
  expect(phoneForm('+442079460958')).toBe(
    '\n+442079460958\n  +442079460958 00442079460958 442079460958 02079460958 2079460958 ',
  )
  expect(phoneForm('+12125550100;ext=5')).toContain(' 2125550100X5 ')
  expect(phoneForm('+74951234567')).toContain(' 84951234567 ')
  expect(phoneForm('+3612345678')).toContain(' 0612345678 ')
  expect(phoneForm('(020) 7946-0958')).toBe('\n(020) 7946-0958\n 02079460958 ')
})
