# SPDX-FileCopyrightText: Tessera authors
# SPDX-License-Identifier: BSD-3-Clause
"""The compiled module and, next to it, the programs and modules that it starts and loads."""
