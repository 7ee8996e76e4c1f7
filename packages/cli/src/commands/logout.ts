import { Command } from 'commander'
import { apiAddressOf, baseUrlOption } from '../connection.ts'
import { examples } from '../help.ts'
import { printData, say } from '../output.ts'
import { revokeLogin } from '../login/kept-login.ts'
import { findLogin, keepLogin, loginsOption } from '../login/login-file.ts'

type Options = { readonly baseUrl?: string; readonly logins: string; readonly json?: true }

export const logoutCommand = (): Command =>
  new Command('logout')
    .description('End the login of "kontor login" on this machine and on the server.')
    .addOption(baseUrlOption())
    .addOption(loginsOption())
    .option('--json', 'print {data: {base_url, ended}} as JSON')
    .addHelpText('after', examples(['kontor logout', 'end the login of the server here']))
    .action(async ({ baseUrl, logins, json }: Options) => {
      const url = apiAddressOf(baseUrl)
      const login = findLogin(logins, url)
      if (login !== undefined) {
        await revokeLogin(login)
        keepLogin(logins, url, undefined)
      }
      if (json) printData({ base_url: url, ended: login !== undefined })
      else say(login === undefined ? `No one is logged in at ${url}.` : `Logged out at ${url}.`)
    })
