import { Command } from 'commander'
import { administer } from '../administration.ts'
import { databaseHelp, examples } from '../help.ts'
import { print, printData, say } from '../output.ts'

type Rotate = { readonly dropOthers?: true; readonly json?: true }

const rotate = (): Command =>
  new Command('rotate')
    .description(
      'Sign access tokens with a new key. Existing tokens stay valid until they expire. Servers do this ' +
        'every 90 days by themselves.',
    )
    .option(
      '--drop-others',
      'delete all other keys: every access token becomes invalid within seconds. Use it if a key has leaked',
    )
    .option('--json', 'print {data: {kid}} as JSON; without it only the id of the new key')
    .addHelpText('after', databaseHelp)
    .addHelpText(
      'after',
      examples(
        ['kontor signing-key rotate', 'use a new key from now on'],
        ['kontor signing-key rotate --drop-others', 'and invalidate all old tokens'],
      ),
    )
    .action(async ({ dropOthers, json }: Rotate) => {
      const key = await administer((admin) => admin.rotateSigningKey({ dropOthers: dropOthers === true }))
      if (json) return printData(key)
      print(key.kid)
      if (dropOthers) say('Older access tokens are no longer accepted. Apps get new ones with their refresh tokens.')
    })

export const signingKeyCommand = (): Command =>
  new Command('signing-key').description('Keys that sign access tokens.').addCommand(rotate())
