-- cc.internal.line_reader: a line that the user edits, for `read`: history,
-- completion, the mouse, and the usual keys.

--- What is left of a line after the characters to the left of the window.
local function visible_part(line, scroll, replace_char)
    if replace_char then return replace_char:rep(math.max(#line - scroll, 0)) end
    return line:sub(scroll + 1)
end

--- Lets the user edit a line, from the cursor on, until Enter is pressed.
---@param replace_char string|nil
---@param history string[]|nil
---@param complete function|nil
---@param default string|nil
---@return string
return function(replace_char, history, complete, default)
    term.setCursorBlink(true)

    local line = type(default) == "string" and default or ""
    local position, scroll = #line, 0
    local history_position
    local mask = replace_char and replace_char:sub(1, 1) or nil

    local start_x = term.getCursorPos()
    local width = term.getSize()

    local completions, completion_index

    --- Asks for completions; only at the end of the line.
    local function update_completions()
        completions, completion_index = nil, nil
        if not complete or position ~= #line then return end
        local list = complete(line)
        if list and #list > 0 then completions, completion_index = list, 1 end
    end

    local function drop_completions()
        completions, completion_index = nil, nil
    end

    --- Draws the line, or with `clear` blanks where it stood.
    local function redraw(clear)
        local cursor = position - scroll
        if start_x + cursor >= width then
            scroll = start_x + position - width
        elseif cursor < 0 then
            scroll = position
        end

        local _, y = term.getCursorPos()
        term.setCursorPos(start_x, y)
        local replacement = clear and " " or mask
        term.write(visible_part(line, scroll, replacement))

        if completions then
            local ending = completions[completion_index]
            local text_colour, background_colour
            if not clear then
                text_colour, background_colour = term.getTextColor(), term.getBackgroundColor()
                term.setTextColor(colors.white)
                term.setBackgroundColor(colors.gray)
            end
            term.write(replacement and replacement:rep(#ending) or ending)
            if not clear then
                term.setTextColor(text_colour)
                term.setBackgroundColor(background_colour)
            end
        end
        term.setCursorPos(start_x + position - scroll, y)
    end

    local function clear_line()
        redraw(true)
    end

    --- Changes line and position, and draws.
    local function change(new_line, new_position)
        clear_line()
        line, position = new_line, new_position
        update_completions()
        redraw()
    end

    local function insert(text)
        change(line:sub(1, position) .. text .. line:sub(position + 1), position + #text)
    end

    local function accept_completion()
        local ending = completions[completion_index]
        change(line .. ending, #line + #ending)
    end

    local function move_to(new_position)
        clear_line()
        position = new_position
        update_completions()
        redraw()
    end

    --- Goes through the history: -1 to older lines, 1 to newer ones and then to an empty one.
    local function from_history(step)
        if not history then return end
        clear_line()
        if step < 0 then
            if history_position == nil then
                if #history > 0 then history_position = #history end
            elseif history_position > 1 then
                history_position = history_position - 1
            end
        elseif history_position == #history then
            history_position = nil
        elseif history_position ~= nil then
            history_position = history_position + 1
        end

        line = history_position and history[history_position] or ""
        position, scroll = #line, 0
        drop_completions()
        redraw()
    end

    local key_actions = {
        [keys.left] = function()
            if position > 0 then move_to(position - 1) end
        end,
        [keys.right] = function()
            if position < #line then
                move_to(position + 1)
            elseif completions then
                accept_completion()
            end
        end,
        [keys.up] = function()
            if completions then
                clear_line()
                completion_index = completion_index > 1 and completion_index - 1 or #completions
                redraw()
            else
                from_history(-1)
            end
        end,
        [keys.down] = function()
            if completions then
                clear_line()
                completion_index = completion_index < #completions and completion_index + 1 or 1
                redraw()
            else
                from_history(1)
            end
        end,
        [keys.backspace] = function()
            if position == 0 then return end
            clear_line()
            line = line:sub(1, position - 1) .. line:sub(position + 1)
            position = position - 1
            if scroll > 0 then scroll = scroll - 1 end
            update_completions()
            redraw()
        end,
        [keys.delete] = function()
            if position < #line then change(line:sub(1, position) .. line:sub(position + 2), position) end
        end,
        [keys.home] = function()
            if position > 0 then move_to(0) end
        end,
        [keys["end"]] = function()
            if position < #line then move_to(#line) end
        end,
        [keys.tab] = function()
            if completions then accept_completion() end
        end,
    }

    local function ends_line(key)
        return key == keys.enter or key == keys.numPadEnter
    end

    update_completions()
    redraw()

    while true do
        local event, param, param_x, param_y = os.pullEvent()
        if event == "char" then
            insert(param)
        elseif event == "paste" then
            insert(param)
        elseif event == "key" then
            if ends_line(param) then
                if completions then
                    clear_line()
                    drop_completions()
                    redraw()
                end
                break
            end
            local action = key_actions[param]
            if action then action() end
        elseif event == "mouse_click" or (event == "mouse_drag" and param == 1) then
            local _, y = term.getCursorPos()
            if param_y == y and param_x >= start_x then
                move_to(math.min(math.max(scroll + param_x - start_x, 0), #line))
            end
        elseif event == "term_resize" then
            width = term.getSize()
            redraw()
        end
    end

    local _, y = term.getCursorPos()
    term.setCursorBlink(false)
    term.setCursorPos(width + 1, y)
    print()
    return line
end
