-- The functions of tables that only old programs use.

print(type(table.getn), type(table.maxn), type(table.foreach), type(table.foreachi), type(table.move))
print(table.getn({ 1, 2, 3 }), table.maxn({ 1, 2, [10] = 3, [2.5] = 1 }))
print(table.concat(table.move({ 1, 2, 3 }, 1, 3, 2), ","))
print(table.concat(table.move({ 1, 2, 3 }, 2, 3, 1), ","))
