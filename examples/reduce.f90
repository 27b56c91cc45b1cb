! SPDX-License-Identifier: Apache-2.0
! Reductions of host memory from Fortran: a sum, and the columns of an array.

! What the program needs of jitune/jitune.h.
module jitune
    use, intrinsic :: iso_c_binding
    implicit none

    enum, bind(c)  ! jitune_type
        enumerator :: jitune_float64 = 11
    end enum
    enum, bind(c)  ! jitune_reduce_op
        enumerator :: jitune_sum = 0, jitune_max = 3
    end enum
    enum, bind(c)  ! jitune_reduce_shape
        enumerator :: jitune_whole = 0, jitune_rows = 1
    end enum

    type, bind(c) :: jitune_reduction
        integer(c_int) :: element, result, op, determinism
        type(c_ptr) :: configuration, custom
        integer(c_int) :: shape
        integer(c_int64_t) :: outer, inner
    end type

    interface
        function jitune_reduction_of(element, op, n) bind(c)
            import
            integer(c_int), value :: element, op
            integer(c_int64_t), value :: n
            type(jitune_reduction) :: jitune_reduction_of
        end function
        function jitune_reduce_host(session, reduction, in, offsets, out) bind(c)
            import
            type(c_ptr), value :: session, in, offsets, out
            type(jitune_reduction), intent(in) :: reduction
            integer(c_int) :: jitune_reduce_host
        end function
        function jitune_last_message() bind(c)
            import
            type(c_ptr) :: jitune_last_message
        end function
        function strlen(text) bind(c)
            import
            type(c_ptr), value :: text
            integer(c_size_t) :: strlen
        end function
    end interface

contains

    subroutine check(status)
        integer(c_int), intent(in) :: status
        character(kind=c_char), pointer :: text(:)
        if (status /= 0) then
            call c_f_pointer(jitune_last_message(), text, [strlen(jitune_last_message())])
            print *, text
            error stop 1
        end if
    end subroutine
end module

program reduce
    use jitune
    implicit none
    integer(c_int64_t), parameter :: rows = 500, columns = 1000
    real(c_double), allocatable, target :: values(:, :), largest(:)
    real(c_double), target :: total
    type(jitune_reduction) :: reduction
    integer :: i, j

    allocate (values(rows, columns), largest(columns))
    do j = 1, int(columns)
        do i = 1, int(rows)
            values(i, j) = mod(i + j, 7)
        end do
    end do

    reduction = jitune_reduction_of(jitune_float64, jitune_sum, rows * columns)
    call check(jitune_reduce_host(c_null_ptr, reduction, c_loc(values), c_null_ptr, c_loc(total)))
    print '(a, f0.1)', 'sum ', total

    ! A column of Fortran is a row of C.
    reduction = jitune_reduction_of(jitune_float64, jitune_max, rows)
    reduction%shape = jitune_rows
    reduction%outer = columns
    call check(jitune_reduce_host(c_null_ptr, reduction, c_loc(values), c_null_ptr, c_loc(largest)))
    print '(a, f0.1)', 'smallest of the largest elements of columns ', minval(largest)
end program
